# fast.cpp and slow.cpp of what Verilator has made in FOLDER: they include what it wants compiled with the model's
# optimisation, and what runs once. They are written always: what they include is new.
include(${FOLDER}/${PREFIX}.cmake)
foreach(kind FAST SLOW)
    set(text "")
    foreach(source ${${PREFIX}_CLASSES_${kind}} ${${PREFIX}_SUPPORT_${kind}})
        string(APPEND text "#include \"${source}\"\n")
    endforeach()
    string(TOLOWER ${kind} name)
    file(WRITE ${FOLDER}/${name}.cpp "${text}")
endforeach()
