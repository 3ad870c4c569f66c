#include "image.hpp"

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace heat {
namespace {

class Image : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        folder_ =
            std::filesystem::temp_directory_path() /
            ("heat_image_test." + std::string(info->name()) + "." + std::to_string(::getpid()));
        std::filesystem::create_directory(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string store(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    // The library's own writer, for formats that heat only reads.
    template <typename Sample>
    std::string store_png(png_uint_32 format, int width, int height,
                          const std::vector<Sample>& samples) const {
        png_image image{};
        image.version = PNG_IMAGE_VERSION;
        image.width = static_cast<png_uint_32>(width);
        image.height = static_cast<png_uint_32>(height);
        image.format = format;
        EXPECT_TRUE(
            png_image_write_to_file(&image, path("p.png").c_str(), 0, samples.data(), 0, nullptr));
        return path("p.png");
    }

  private:
    std::filesystem::path folder_;
};

double linear(double stored) {
    return stored <= 0.04045 ? stored / 12.92 : std::pow((stored + 0.055) / 1.055, 2.4);
}

std::string message_of(const std::string& path) {
    try {
        read_picture(path);
    } catch (const ImageError& error) {
        return error.what();
    }
    return "read without an error";
}

TEST_F(Image, ReadsPgmTextAndBinary) {
    const Picture text =
        read_picture(store("t.pgm", "P2 # text\n2 2\n# largest\n255\n0 255\n51 102\n"));
    const Picture binary =
        read_picture(store("b.pgm", std::string("P5\n2 2\n255\n\x00\xff\x33\x66", 15)));
    ASSERT_EQ(text.width, 2);
    ASSERT_EQ(text.height, 2);
    EXPECT_EQ(text.pixels, binary.pixels);
    EXPECT_EQ(text.pixels[0], 0);
    EXPECT_EQ(text.pixels[1], 1);
    EXPECT_DOUBLE_EQ(text.pixels[2], linear(0.2));
}

TEST_F(Image, ReadsPgmOf16Bits) {
    const Picture wide =
        read_picture(store("w.pgm", std::string("P5 2 1 65535\n\x80\x00\xff\xff", 17)));
    ASSERT_EQ(wide.pixels.size(), 2u);
    EXPECT_DOUBLE_EQ(wide.pixels[0], linear(32768 / 65535.0));
    EXPECT_EQ(wide.pixels[1], 1);
}

TEST_F(Image, GreyPngEqualsPgm) {
    std::vector<png_byte> shades;
    std::string pgm = "P2\n16 16\n255\n";
    for (int i = 0; i < 256; ++i) {
        shades.push_back(static_cast<png_byte>(i));
        pgm += std::to_string(i) + "\n";
    }
    const Picture from_png = read_picture(store_png(PNG_FORMAT_GRAY, 16, 16, shades));
    const Picture from_pgm = read_picture(store("g.pgm", pgm));
    ASSERT_EQ(from_png.pixels.size(), 256u);
    for (std::size_t i = 0; i < 256; ++i)
        EXPECT_NEAR(from_png.pixels[i], from_pgm.pixels[i], 1e-15) << i;
}

TEST_F(Image, ColoursBecomeLuminance) {
    const std::vector<png_byte> colours{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255};
    const Picture picture = read_picture(store_png(PNG_FORMAT_RGB, 4, 1, colours));
    EXPECT_NEAR(picture.pixels[0], 0.2126, 1e-12);
    EXPECT_NEAR(picture.pixels[1], 0.7152, 1e-12);
    EXPECT_NEAR(picture.pixels[2], 0.0722, 1e-12);
    EXPECT_NEAR(picture.pixels[3], 1, 1e-12);
}

TEST_F(Image, TransparentIsBlack) {
    const Picture picture = read_picture(store_png(
        PNG_FORMAT_RGBA, 2, 1, std::vector<png_byte>{255, 255, 255, 0, 255, 255, 255, 51}));
    EXPECT_EQ(picture.pixels[0], 0);
    EXPECT_NEAR(picture.pixels[1], 0.2, 1e-12);
}

TEST_F(Image, ReadsPngOf16BitsAndColour) {
    std::vector<png_uint_16> samples;
    for (int i = 0; i < 64; ++i)
        for (int c = 0; c < 3; ++c)
            samples.push_back(static_cast<png_uint_16>(1040 * i));
    const Picture picture = read_picture(store_png(PNG_FORMAT_LINEAR_RGB, 64, 1, samples));
    for (std::size_t i = 0; i < 64; ++i)
        EXPECT_NEAR(picture.pixels[i], static_cast<double>(1040 * i) / 65535, 1e-4) << i;
}

TEST_F(Image, GreyOutputReadsBack) {
    std::vector<double> field;
    for (int i = 0; i < 1000; ++i)
        field.push_back(i / 999.0);
    write_picture(path("grey.png"), field.data(), 50, 20, Colours::grey);
    const Picture back = read_picture(path("grey.png"));
    ASSERT_EQ(back.width, 50);
    ASSERT_EQ(back.height, 20);
    for (std::size_t i = 0; i < field.size(); ++i)
        EXPECT_NEAR(back.pixels[i], field[i], 1e-5) << i;
}

TEST_F(Image, HeatColoursRunFromBlackToWhite) {
    const std::vector<double> field{-1, 0, 0.5, 1, 2};
    write_picture(path("heat.png"), field.data(), 5, 1, Colours::heat);
    const Picture back = read_picture(path("heat.png"));
    EXPECT_EQ(back.pixels[0], 0);
    EXPECT_EQ(back.pixels[1], 0);
    EXPECT_GT(back.pixels[2], 0.2);
    EXPECT_NEAR(back.pixels[3], 1, 1e-12);
    EXPECT_NEAR(back.pixels[4], 1, 1e-12);
}

TEST_F(Image, SaysWhatIsWrong) {
    const std::string bad = store("bad.pgm", "P2\n3 x\n255\n");
    EXPECT_EQ(message_of(bad), bad + ": the height is not a number");
    const std::string ends = store("ends.pgm", "P2\n3");
    EXPECT_EQ(message_of(ends), ends + ": the file ends before the height");
    const std::string deep = store("deep.pgm", "P2\n1 1\n70000\n1\n");
    EXPECT_EQ(message_of(deep), deep + ": the largest value is 70000; 1..65535 is valid");
    const std::string none = store("none", "");
    EXPECT_EQ(message_of(none), none + ": the file is empty");
    EXPECT_EQ(message_of(path("missing")),
              path("missing") + ": cannot open: No such file or directory");
    const std::string color = store("colour.ppm", "P6\n1 1\n255\nabc");
    EXPECT_EQ(message_of(color), color + ": neither PNG nor PGM; convert the picture to PNG first");
}

// Files come from outside: whatever is in them, a picture or an ImageError comes out.
TEST_F(Image, DamagedFilesNeverCrash) {
    std::vector<std::string> good{std::string("P5 # c\n4 4\n255\n0123456789abcdef"),
                                  "P2\n3 3\n1000\n1 2 3 4 5 6 7 8 999\n"};
    const std::vector<png_uint_16> samples(64 * 3, 4000);
    const std::string png = store_png(PNG_FORMAT_LINEAR_RGB, 8, 8, samples);
    std::ifstream file(png, std::ios::binary);
    good.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    std::mt19937 random(20260801);
    int pictures = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string bytes = good[random() % good.size()];
        for (auto changes = random() % 4; changes > 0 && !bytes.empty(); --changes) {
            const auto place = random() % bytes.size();
            switch (random() % 4) {
                case 0: bytes[place] = static_cast<char>(random()); break;
                case 1: bytes.resize(place); break;
                case 2: bytes.insert(place, 1, static_cast<char>(random())); break;
                default: bytes.insert(place, std::to_string(random())); break;
            }
        }
        try {
            const Picture picture = decode_picture("damaged", {bytes.begin(), bytes.end()});
            EXPECT_EQ(picture.pixels.size(), static_cast<std::size_t>(picture.width) *
                                                 static_cast<std::size_t>(picture.height));
            ++pictures;
        } catch (const ImageError&) {
        }
    }
    EXPECT_GT(pictures, 100);
}

}  // namespace
}  // namespace heat
