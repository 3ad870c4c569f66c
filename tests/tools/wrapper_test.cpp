#include "tools/wrapper_arguments.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/quote.hpp"

namespace isthmus::tools {
namespace {

using Words = std::vector<std::string>;

WrapperConfiguration configuration() {
    return {.compiler = "/usr/bin/cc",
            .include = "/opt/i/include",
            .lib = "/opt/i/lib",
            .flags = "",
            .runtime = "",
            .is_cxx = false,
            .has_static_library = false,
            .has_musl_library = false,
            .has_profile_library = true};
}

std::string command(const Words& arguments, const WrapperConfiguration& where = configuration()) {
    const WrapperCommand result = build_command(where, arguments);
    return result.error.empty() ? quote(result.words) : "error: " + result.error;
}

TEST(Wrapper, LinksAboveMuslWithWhatMuslLacks) {
    WrapperConfiguration where = configuration();
    where.has_static_library = true;
    where.runtime = "/r/libstdc++.a";
    EXPECT_EQ(command({"-cc=musl-gcc", "-static", "a.c"}, where),
              "error: there is no libisthmus-musl.a in /opt/i/lib");
    where.has_musl_library = true;
    EXPECT_EQ(
        command({"-cc=musl-gcc", "-static", "a.c"}, where),
        "musl-gcc -I/opt/i/include -static a.c -L/opt/i/lib -Wl,--wrap=exit "
        "-Wl,--wrap=pthread_create -Wl,--eh-frame-hdr -Wl,--start-group -listhmus -listhmus-musl "
        "/r/libstdc++.a -Wl,--end-group -pthread");
    EXPECT_EQ(command({"-cc=musl", "-static", "a.c"}, where),
              "error: -cc=musl: that is no compiler; say -cc=musl-gcc (Debian: musl-tools)");
    WrapperConfiguration cxx = where;
    cxx.is_cxx = true;
    EXPECT_TRUE(command({"-cc=musl-gcc", "-static", "a.cpp"}, cxx)
                    .starts_with("error: above musl C programs are linked"));
    for (const char* const refused : {"-static-pie", "-g"})
        EXPECT_TRUE(command({"-cc=musl-gcc", refused, "a.c"}, where)
                        .starts_with("error: above musl a program is linked with -static"));
}

TEST(Wrapper, KnowsWhenTheCompilerLinks) {
    for (const Words& words :
         {Words{"a.c"}, Words{"a.o", "b.o", "-o", "p"}, Words{"-shared", "a.o"},
          Words{"-x", "c++", "a.txt"}, Words{"-x", "c", "-"}, Words{"a.c", "-MD", "-MF", "a.d"},
          Words{"-v", "a.c"}, Words{"-I", "inc", "a.c", "-lm"}})
        EXPECT_TRUE(links(words)) << quote(words);
    for (const Words& words :
         {Words{}, Words{"-c", "a.c"}, Words{"-E", "a.c"}, Words{"-M", "a.c"}, Words{"-MM", "a.c"},
          Words{"-S", "a.c"}, Words{"--version"}, Words{"-v"}, Words{"-dumpmachine"},
          Words{"-print-prog-name=ld"}, Words{"--print-search-dirs", "a.c"}, Words{"-o", "p"},
          Words{"-include", "x.h"}, Words{"-fsyntax-only", "a.c"}, Words{"-I", "inc"},
          Words{"-MF", "x", "-isystem", "y"}})
        EXPECT_FALSE(links(words)) << quote(words);
}

TEST(Wrapper, ReadsResponseFiles) {
    std::string folder = (std::filesystem::temp_directory_path() / "wrapper-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string file = folder + "/list.rsp";
    std::ofstream(file) << "-c\na.c -o a.o\n";
    EXPECT_FALSE(links({"@" + file}));
    std::ofstream(file) << "a.o b.o\n";
    EXPECT_TRUE(links({"@" + file, "-o", "p"}));
    EXPECT_TRUE(links({"@" + folder + "/missing"}));  // the compiler will complain
    std::filesystem::remove_all(folder);
}

TEST(Wrapper, Commands) {
    const std::string link = " -L/opt/i/lib -Wl,-rpath,/opt/i/lib -listhmus -pthread";
    EXPECT_EQ(command({"a.c", "-o", "p"}), "/usr/bin/cc -I/opt/i/include a.c -o p" + link);
    EXPECT_EQ(command({"-c", "a.c"}), "/usr/bin/cc -I/opt/i/include -c a.c");
    EXPECT_EQ(command({"--version"}), "/usr/bin/cc -I/opt/i/include --version");
    EXPECT_EQ(command({"-profile", "a.c"}),
              "/usr/bin/cc -I/opt/i/include -DISTHMUS_NO_INLINE a.c -L/opt/i/lib "
              "-Wl,-rpath,/opt/i/lib -listhmus-profile -listhmus -pthread");
    EXPECT_EQ(command({"-cc=clang -m64", "a.c", "-c"}), "clang -m64 -I/opt/i/include a.c -c");
    EXPECT_EQ(command({"--showme:compile"}), "-I/opt/i/include");
    EXPECT_EQ(command({"--showme:link"}), link.substr(1));
    EXPECT_EQ(command({"-showme:command"}), "/usr/bin/cc");
    EXPECT_EQ(command({"-showme:incdirs"}), "/opt/i/include");
    EXPECT_EQ(command({"--showme:libdirs"}), "/opt/i/lib");
    EXPECT_EQ(command({"--showme:libs"}), "isthmus");
    EXPECT_EQ(command({"-profile", "--showme:libs"}), "isthmus-profile isthmus");
    EXPECT_EQ(command({"-showme:libz"}),
              "error: -showme:libz: there is compile, link, command, incdirs, libdirs, libs, "
              "version, help");
    EXPECT_EQ(command({"-show"}), "/usr/bin/cc -I/opt/i/include" + link);
    EXPECT_EQ(command({"-DNAME=\"a b\"", "-c", "it's.c"}),
              "/usr/bin/cc -I/opt/i/include '-DNAME=\"a b\"' -c 'it'\\''s.c'");
}

TEST(Wrapper, SystemDirectoriesAreNotNamed) {
    WrapperConfiguration where = configuration();
    where.include = "/usr/include";
    where.lib = "/usr/lib/x86_64-linux-gnu";
    EXPECT_EQ(command({"a.c"}, where), "/usr/bin/cc a.c -listhmus -pthread");
}

TEST(Wrapper, Sanitizers) {
    WrapperConfiguration where = configuration();
    where.flags = "-fsanitize=address,undefined";
    EXPECT_EQ(command({"-c", "a.c"}, where),
              "/usr/bin/cc -fsanitize=address,undefined -I/opt/i/include -c a.c");
}

TEST(Wrapper, Static) {
    WrapperConfiguration where = configuration();
    EXPECT_TRUE(
        command({"-static", "a.c"}).starts_with("error: -static: there is no libisthmus.a"));
    EXPECT_EQ(command({"-static", "-c", "a.c"}), "/usr/bin/cc -I/opt/i/include -static -c a.c");
    where.has_static_library = true;
    EXPECT_EQ(
        command({"-static", "a.c"}, where),
        "/usr/bin/cc -I/opt/i/include -static a.c -L/opt/i/lib -listhmus -lstdc++ -lm -pthread");
    EXPECT_EQ(command({"-static-pie", "a.c"}, where),
              "/usr/bin/cc -I/opt/i/include -static-pie a.c -L/opt/i/lib -listhmus -lstdc++ -lm "
              "-pthread");
    where.has_profile_library = false;
    EXPECT_TRUE(command({"-profile", "a.c"}, where).starts_with("error: -profile: "));
    EXPECT_EQ(command({"-profile", "-c", "a.c"}, where),
              "/usr/bin/cc -I/opt/i/include -DISTHMUS_NO_INLINE -c a.c");
}

TEST(Wrapper, Quotes) {
    EXPECT_EQ(quote({}), "");
    EXPECT_EQ(quote({""}), "''");
    EXPECT_EQ(quote({"a", "b c", "$x"}), "a 'b c' '$x'");
}

}  // namespace
}  // namespace isthmus::tools
