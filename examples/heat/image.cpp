#include "image.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace heat {
namespace {

[[noreturn]] void complain(const std::string& path, const std::string& what) {
    throw ImageError(path + ": " + what);
}

void check_size(const std::string& path, unsigned long width, unsigned long height) {
    const std::string size = std::to_string(width) + " x " + std::to_string(height);
    if (width == 0 || height == 0) complain(path, "the picture is empty (" + size + " pixels)");
    if (width > kMostPixels || height > kMostPixels || width * height > kMostPixels)
        complain(path, "the picture is " + size + " pixels; at most " +
                           std::to_string(kMostPixels) + " in all are accepted");
}

// The sRGB transfer curve (IEC 61966-2-1) and back.
double linear(double stored) {
    return stored <= 0.04045 ? stored / 12.92 : std::pow((stored + 0.055) / 1.055, 2.4);
}
double stored(double linear) {
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

// Weights of the colours in linear light (ITU-R BT.709, the primaries of sRGB).
double luminance(double red, double green, double blue) {
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Four samples a pixel, of the given type; libpng has undone palettes and odd depths.
template <typename Sample>
std::vector<Sample> decode(const std::string& path, png_image& image, png_uint_32 format) {
    image.format = format;
    std::vector<Sample> samples(PNG_IMAGE_SIZE(image) / sizeof(Sample));
    if (!png_image_finish_read(&image, nullptr, samples.data(), 0, nullptr))
        complain(path, std::string("not a valid PNG: ") + image.message);
    return samples;
}

Picture read_png(const std::string& path, const std::vector<unsigned char>& bytes) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    const std::unique_ptr<png_image, void (*)(png_image*)> release(&image, png_image_free);
    if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()))
        complain(path, std::string("not a valid PNG: ") + image.message);
    check_size(path, image.width, image.height);
    Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
    picture.pixels.reserve(static_cast<std::size_t>(image.width) * image.height);
    if (image.format & PNG_FORMAT_FLAG_LINEAR) {   // 16 bit; libpng makes them linear
        image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // what the file holds unless it says otherwise
        const auto samples = decode<png_uint_16>(path, image, PNG_FORMAT_LINEAR_RGB_ALPHA);
        // Linear samples have the alpha multiplied in already.
        for (std::size_t i = 0; i < samples.size(); i += 4)
            picture.pixels.push_back(luminance(samples[i], samples[i + 1], samples[i + 2]) / 65535);
    } else {
        std::array<double, 256> curve;
        for (int i = 0; i < 256; ++i)
            curve[static_cast<std::size_t>(i)] = linear(i / 255.0);
        const auto samples = decode<png_byte>(path, image, PNG_FORMAT_RGBA);
        for (std::size_t i = 0; i < samples.size(); i += 4)
            picture.pixels.push_back(
                luminance(curve[samples[i]], curve[samples[i + 1]], curve[samples[i + 2]]) *
                samples[i + 3] / 255);
    }
    return picture;
}

// Reads the words and numbers of a PGM file; '#' begins a comment that ends with the line.
class PgmReader {
  public:
    PgmReader(const std::string& path, const std::vector<unsigned char>& bytes)
        : path_(path), bytes_(bytes) {}

    unsigned long number(const char* what) {
        skip_space();
        if (at_ == bytes_.size()) complain(path_, std::string("the file ends before the ") + what);
        unsigned long value = 0;
        const std::size_t begin = at_;
        for (; at_ < bytes_.size() && std::isdigit(bytes_[at_]) != 0; ++at_)
            value = std::min(value * 10 + (bytes_[at_] - '0'), 1'000'000UL);
        if (at_ == begin) complain(path_, std::string("the ") + what + " is not a number");
        return value;
    }
    // One byte of white space ends the header of P5.
    void end_header() { at_ = std::min(at_ + 1, bytes_.size()); }
    std::size_t remaining() const { return bytes_.size() - at_; }
    unsigned binary(bool wide) {
        const unsigned high = wide ? bytes_[at_++] : 0U;
        return high << 8 | bytes_[at_++];
    }
    void skip_magic() { at_ = 2; }

  private:
    void skip_space() {
        for (; at_ < bytes_.size(); ++at_) {
            if (bytes_[at_] == '#') {
                while (at_ < bytes_.size() && bytes_[at_] != '\n')
                    ++at_;
                if (at_ == bytes_.size()) return;
            } else if (std::isspace(bytes_[at_]) == 0) {
                return;
            }
        }
    }
    const std::string& path_;
    const std::vector<unsigned char>& bytes_;
    std::size_t at_ = 0;
};

Picture read_pgm(const std::string& path, const std::vector<unsigned char>& bytes) {
    const bool text = bytes[1] == '2';
    PgmReader reader(path, bytes);
    reader.skip_magic();
    const unsigned long width = reader.number("width");
    const unsigned long height = reader.number("height");
    const unsigned long largest = reader.number("largest value");
    check_size(path, width, height);
    if (largest == 0 || largest > 65535)
        complain(path, "the largest value is " + std::to_string(largest) + "; 1..65535 is valid");
    const bool wide = largest > 255;
    if (!text) reader.end_header();
    const std::size_t count = width * height;
    const std::size_t needed = text ? count * 2 - 1 : count * (wide ? 2 : 1);
    if (reader.remaining() < needed)
        complain(path, "the file is too short: " + std::to_string(width) + " x " +
                           std::to_string(height) + " pixels need at least " +
                           std::to_string(needed) + " bytes, " +
                           std::to_string(reader.remaining()) + " are there");
    Picture picture{static_cast<int>(width), static_cast<int>(height), {}};
    picture.pixels.resize(count);
    for (double& pixel : picture.pixels) {
        const unsigned long value = text ? reader.number("pixel") : reader.binary(wide);
        if (value > largest)
            complain(path, "a pixel is " + std::to_string(value) + ", above the largest value " +
                               std::to_string(largest));
        pixel = linear(static_cast<double>(value) / static_cast<double>(largest));
    }
    return picture;
}

std::vector<unsigned char> read_file(const std::string& path) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) complain(path, std::string("cannot open: ") + std::strerror(errno));
    std::vector<unsigned char> bytes;
    std::array<unsigned char, 65536> buffer;
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get()))
        bytes.insert(bytes.end(), buffer.begin(),
                     buffer.begin() + static_cast<std::ptrdiff_t>(got));
    if (std::ferror(file.get()) != 0)
        complain(path, std::string("cannot read: ") + std::strerror(errno));
    return bytes;
}

// Stops of the heat colours, evenly spaced, on the sRGB curve.
using Colour = std::array<double, 3>;
constexpr std::array<Colour, 6> kHeat{{{0, 0, 0},
                                       {0.30, 0.05, 0.45},
                                       {0.80, 0.15, 0.25},
                                       {0.98, 0.50, 0.05},
                                       {1.00, 0.85, 0.25},
                                       {1, 1, 1}}};

std::vector<png_byte> heat_colours(const double* pixels, std::size_t count) {
    std::vector<png_byte> bytes(count * 3);
    for (std::size_t i = 0; i < count; ++i) {
        const double place = stored(std::clamp(pixels[i], 0.0, 1.0)) * (kHeat.size() - 1);
        const auto stop = std::min(static_cast<std::size_t>(place), kHeat.size() - 2);
        const double part = place - static_cast<double>(stop);
        for (std::size_t c = 0; c < 3; ++c)
            bytes[3 * i + c] = static_cast<png_byte>(
                std::lround(255 * (kHeat[stop][c] * (1 - part) + kHeat[stop + 1][c] * part)));
    }
    return bytes;
}

}  // namespace

Picture read_picture(const std::string& path) {
    return decode_picture(path, read_file(path));
}

Picture decode_picture(const std::string& path, const std::vector<unsigned char>& bytes) {
    constexpr std::array<unsigned char, 4> kPng{0x89, 'P', 'N', 'G'};
    if (bytes.size() >= 4 && std::equal(kPng.begin(), kPng.end(), bytes.begin()))
        return read_png(path, bytes);
    if (bytes.size() >= 3 && bytes[0] == 'P' && (bytes[1] == '2' || bytes[1] == '5') &&
        (std::isspace(bytes[2]) != 0 || bytes[2] == '#'))
        return read_pgm(path, bytes);
    complain(path, bytes.empty() ? "the file is empty"
                                 : "neither PNG nor PGM; convert the picture to PNG first");
}

void write_picture(const std::string& path, const double* pixels, int width, int height,
                   Colours colours) {
    const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    const std::unique_ptr<png_image, void (*)(png_image*)> release(&image, png_image_free);
    int written = 0;
    if (colours == Colours::heat) {
        image.format = PNG_FORMAT_RGB;
        const auto bytes = heat_colours(pixels, count);
        written = png_image_write_to_file(&image, path.c_str(), 0, bytes.data(), 0, nullptr);
    } else {
        image.format = PNG_FORMAT_LINEAR_Y;
        std::vector<png_uint_16> samples(count);
        for (std::size_t i = 0; i < count; ++i)
            samples[i] =
                static_cast<png_uint_16>(std::lround(65535 * std::clamp(pixels[i], 0.0, 1.0)));
        written = png_image_write_to_file(&image, path.c_str(), 0, samples.data(), 0, nullptr);
    }
    if (!written) complain(path, std::string("cannot write: ") + image.message);
}

}  // namespace heat
