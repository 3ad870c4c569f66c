# Called with the archive of the static library: puts its code into a section of its own, whose
# beginning and end the linker tells (src/core/session/own_code.hpp). A fault in a static program is
# the library's or the program's by that.
#     cmake -D ARCHIVE=... -D OBJDUMP=... -D OBJCOPY=... -P own_section.cmake
execute_process(COMMAND ${OBJDUMP} -h ${ARCHIVE} OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
# Of what templates of others make, the program's copy may be the one that is linked.
string(REGEX MATCHALL "[ \n]\\.text(\\.unlikely|\\.hot)?(\\.[^ \n]*7isthmus[^ \n]*)?[ \n]" names "${sections}")
list(TRANSFORM names STRIP)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "--rename-section \\1=isthmus_text")
list(JOIN names "\n" options)
file(WRITE ${ARCHIVE}.sections "${options}\n")
execute_process(COMMAND ${OBJCOPY} @${ARCHIVE}.sections ${ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${ARCHIVE}.sections)
