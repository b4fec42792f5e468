// What a number was made of does not matter to the interpreter: conj of conj is computed, whatever stands between.
func.func @main(%a: f32, %b: f32) -> (f32, f32, f32) {
  %x = complex.create %a, %b : complex<f32>
  %c = complex.conj %x : complex<f32>
  %cc = complex.conj %c : complex<f32>
  %n = complex.neg %cc : complex<f32>
  %nn = complex.neg %n : complex<f32>
  %d = complex.sub %nn, %c : complex<f32>
  %re = complex.re %d : complex<f32>
  %im = complex.im %d : complex<f32>
  %m = complex.abs %nn : complex<f32>
  return %re, %im, %m : f32, f32, f32
}
