// Trigonometry in degrees, exact where a textbook is: as PostgreSQL's float.c, each is divided by what the machine says
// for an angle whose value is known.
#include <cmath>

#include "adder.hpp"

namespace daedalus::semantics::scalar {
namespace {

using enum TypeKind;

Error out_of_range() { return rejected("22003", "input is out of range"); }

// ---- within the first quadrant ----

double sine_to_30(double angle) {
  static const double of_30 = std::sin(30.0 * kRadiansPerDegree);
  return std::sin(angle * kRadiansPerDegree) / of_30 / 2.0;
}

double cosine_to_60(double angle) {
  static const double of_60 = 1.0 - std::cos(60.0 * kRadiansPerDegree);
  const double below_one = 1.0 - std::cos(angle * kRadiansPerDegree);
  return 1.0 - below_one / of_60 / 2.0;
}

double sine_to_90(double angle) { return angle <= 30.0 ? sine_to_30(angle) : cosine_to_60(90.0 - angle); }
double cosine_to_90(double angle) { return angle <= 60.0 ? cosine_to_60(angle) : sine_to_30(90.0 - angle); }

double arc_sine_of_positive(double value) {
  static const double of_half = std::asin(0.5);
  static const double cosine_of_half = std::acos(0.5);
  return value <= 0.5 ? std::asin(value) / of_half * 30.0 : 90.0 - std::acos(value) / cosine_of_half * 60.0;
}

double arc_cosine_of_positive(double value) {
  static const double sine_of_half = std::asin(0.5);
  static const double of_half = std::acos(0.5);
  return value <= 0.5 ? 90.0 - std::asin(value) / sine_of_half * 30.0 : std::acos(value) / of_half * 60.0;
}

// ---- any angle ----

/// An angle brought to the first quadrant, and how often it was mirrored on the way.
struct Mirrored {
  double angle = 0;
  bool at_zero = false;
  bool at_180 = false;
  bool at_90 = false;
};

Mirrored mirrored(double angle) {
  Mirrored made{std::fmod(angle, 360.0)};
  if (made.angle < 0) {
    made.angle = -made.angle;
    made.at_zero = true;
  }
  if (made.angle > 180.0) {
    made.angle = 360.0 - made.angle;
    made.at_180 = true;
  }
  if (made.angle > 90.0) {
    made.angle = 180.0 - made.angle;
    made.at_90 = true;
  }
  return made;
}

double signed_by(bool is_negative, double value) { return is_negative ? -value : value; }

double sine(double angle) {
  const Mirrored at = mirrored(angle);
  return signed_by(at.at_zero != at.at_180, sine_to_90(at.angle));
}

double cosine(double angle) {
  const Mirrored at = mirrored(angle);
  return signed_by(at.at_90, cosine_to_90(at.angle));
}

/// Never a negative zero.
double quotient(const Mirrored& at, double value) {
  const double made = signed_by((at.at_zero != at.at_180) != at.at_90, value);
  return made == 0 ? 0.0 : made;
}

double tangent(double angle) {
  static const double of_45 = sine_to_90(45.0) / cosine_to_90(45.0);
  const Mirrored at = mirrored(angle);
  return quotient(at, sine_to_90(at.angle) / cosine_to_90(at.angle) / of_45);
}

double cotangent(double angle) {
  static const double of_45 = cosine_to_90(45.0) / sine_to_90(45.0);
  const Mirrored at = mirrored(angle);
  return quotient(at, cosine_to_90(at.angle) / sine_to_90(at.angle) / of_45);
}

template <double (*kFunction)(double)>
Result<Value> of_angle(Arguments arguments, const BoundExpression&) {
  const double angle = floating(arguments[0]);
  if (std::isnan(angle)) {
    return Value(angle);
  }
  return std::isinf(angle) ? Result<Value>(out_of_range()) : Value(kFunction(angle));
}

// ---- inverse ----

double arc_sine(double value) { return value >= 0 ? arc_sine_of_positive(value) : -arc_sine_of_positive(-value); }

double arc_cosine(double value) {
  return value >= 0 ? arc_cosine_of_positive(value) : 90.0 + arc_sine_of_positive(-value);
}

template <double (*kFunction)(double)>
Result<Value> of_unit_in_degrees(Arguments arguments, const BoundExpression&) {
  const double value = floating(arguments[0]);
  if (std::isnan(value)) {
    return Value(value);
  }
  return value < -1 || value > 1 ? Result<Value>(out_of_range()) : Value(kFunction(value));
}

double in_degrees(double radians) {
  static const double of_one = std::atan(1.0);
  return radians / of_one * 45.0;
}

Result<Value> arc_tangent(Arguments arguments, const BoundExpression&) {
  return Value(in_degrees(std::atan(floating(arguments[0]))));
}

Result<Value> arc_tangent_of_two_in_degrees(Arguments arguments, const BoundExpression&) {
  return Value(in_degrees(std::atan2(floating(arguments[0]), floating(arguments[1]))));
}

}  // namespace

void add_degrees(Functions& functions) {
  Adder adder(functions);
  adder.add(1060, "sind", {kDouble}, kDouble, of_angle<sine>);
  adder.add(1061, "cosd", {kDouble}, kDouble, of_angle<cosine>);
  adder.add(1062, "tand", {kDouble}, kDouble, of_angle<tangent>);
  adder.add(1063, "cotd", {kDouble}, kDouble, of_angle<cotangent>);
  adder.add(1064, "asind", {kDouble}, kDouble, of_unit_in_degrees<arc_sine>);
  adder.add(1065, "acosd", {kDouble}, kDouble, of_unit_in_degrees<arc_cosine>);
  adder.add(1066, "atand", {kDouble}, kDouble, arc_tangent, nullptr, false);
  adder.add(1067, "atan2d", {kDouble, kDouble}, kDouble, arc_tangent_of_two_in_degrees, nullptr, false);
}

}  // namespace daedalus::semantics::scalar
