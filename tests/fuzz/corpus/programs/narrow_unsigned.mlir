// Bounds of a narrow type without a sign: beyond its middle, up to its end, and with a step that passes the end.
func.func @main(%x: i8) -> (i32, i32, i32, i32) {
  %low = arith.constant 100 : i8
  %high = arith.constant -16 : i8
  %last = arith.constant -1 : i8
  %first = arith.constant -128 : i8
  %small = arith.constant 60 : i8
  %large = arith.constant -56 : i8
  %most = arith.constant 127 : i8
  %zero = arith.constant 0 : i32
  %a = scf.for unsigned %i = %low to %high step %small iter_args(%s = %zero) -> (i32) : i8 {
    %w = arith.extui %i : i8 to i32
    %t = arith.addi %s, %w : i32
    scf.yield %t : i32
  }
  %b = scf.for unsigned %i = %low to %last step %large iter_args(%s = %a) -> (i32) : i8 {
    %w = arith.extui %i : i8 to i32
    %t = arith.subi %w, %s : i32
    scf.yield %t : i32
  }
  %c = scf.for %i = %first to %most step %most iter_args(%s = %b) -> (i32) : i8 {
    %w = arith.extsi %i : i8 to i32
    %t = arith.subi %w, %s : i32
    scf.yield %t : i32
  }
  %d = scf.for unsigned %i = %x to %last step %large iter_args(%s = %c) -> (i32) : i8 {
    %w = arith.extsi %i : i8 to i32
    %t = arith.subi %w, %s : i32
    scf.yield %t : i32
  }
  return %a, %b, %c, %d : i32, i32, i32, i32
}
