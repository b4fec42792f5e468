// RUN: noria opt --pass-pipeline=verify-initialization-order --split-input-file --verify-diagnostics %s

// A program in order: the function is run by initializers only.
util.global private @a = 1 : i32
util.global private @b : i32
util.global private mutable @c = 5 : i32
util.func private @set(%x: i32) {
  util.global.store %x, @b : i32
  util.return
}
util.initializer {
  %a = util.global.load @a : i32
  util.call @set(%a) : (i32) -> ()
  util.return
}
util.initializer {
  %b = util.global.load @b : i32
  util.global.store %b, @c : i32
  util.return
}
util.func public @main() -> i32 {
  %z = arith.constant 0 : i32
  util.global.store %z, @c : i32
  %b = util.global.load @b : i32
  util.return %b : i32
}

// -----

util.initializer {
  // expected-error@+1 {{'util.global.load' op reads @below, which is defined below the initializer that runs this}}
  %a = util.global.load @below : i32
  util.return
}
// expected-note@+1 {{it is defined here}}
util.global private @below = 1 : i32

// -----

// Through a function too.
util.func private @get() -> i32 {
  // expected-error@+1 {{'util.global.load' op reads @below, which is defined below the initializer that runs this}}
  %a = util.global.load @below : i32
  util.return %a : i32
}
util.initializer {
  %a = util.call @get() : () -> i32
  util.return
}
// expected-note@+1 {{it is defined here}}
util.global private @below = 1 : i32

// -----

util.global private @late : i32
util.global private @copy : i32
util.initializer {
  // expected-error@+1 {{'util.global.load' op reads @late before it is initialized}}
  %a = util.global.load @late : i32
  util.global.store %a, @copy : i32
  util.return
}
util.initializer {
  %c = arith.constant 1 : i32
  // expected-note@+1 {{a later initializer stores to it first}}
  util.global.store %c, @late : i32
  util.return
}

// -----

util.global private @fixed : i32
util.func public @change(%x: i32) {
  // expected-error@+1 {{'util.global.store' op stores to @fixed, which is not mutable, where not only initializers do}}
  util.global.store %x, @fixed : i32
  util.return
}

// -----

util.global private @begun = 4 : i32
util.initializer {
  %c = arith.constant 1 : i32
  // expected-error@+1 {{'util.global.store' op stores to @begun, which has an initial value and is not mutable}}
  util.global.store %c, @begun : i32
  util.return
}
