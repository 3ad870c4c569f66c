// Pictures in and out: PNG and PGM in, PNG out.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace heat {

// Brightness of every pixel, row by row, in linear light: 0 is black, 1 is white.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<double> pixels;
};

// What is wrong with a file, as a sentence that names it.
struct ImageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr unsigned long kMostPixels = 100'000'000;

// PNG of any colour type and depth, or PGM (P2 or P5, 8 or 16 bit). Colours become their luminance;
// transparent pixels are black. Both formats store brightness on the sRGB curve.
Picture read_picture(const std::string& path);
// The same of a file's bytes; `name` is for messages.
Picture decode_picture(const std::string& name, const std::vector<unsigned char>& bytes);

enum class Colours {
    heat,  // black, violet, red, orange, yellow, white; 8 bit RGB
    grey   // 16 bit, linear light: what was computed
};

// Values outside 0..1 are clipped. `pixels` holds width * height of them.
void write_picture(const std::string& path, const double* pixels, int width, int height,
                   Colours colours);

}  // namespace heat
