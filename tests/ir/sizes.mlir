// RUN: noria opt %s --split-input-file --verify-diagnostics
// Types whose size in bytes does not fit in 64 bits.

// expected-error@+1 {{the size of 'tensor<9223372036854775807x2xf32>' does not fit in 64 bits}}
func.func @f(%a: tensor<9223372036854775807x2xf32>) { return }

// -----

func.func @f(%a: tensor<9223372036854775807xi8>) { return }

// -----

// expected-error@+1 {{the size of 'tensor<9223372036854775807xf32>' does not fit in 64 bits}}
func.func @f(%a: tensor<9223372036854775807xf32>) { return }

// -----

// expected-error@+1 {{the size of 'tensor<0x9223372036854775807xf32>' does not fit in 64 bits}}
func.func @f(%a: tensor<0x9223372036854775807xf32>) { return }

// -----

// expected-error@+1 {{the size of 'memref<?x4611686018427387904xf32>' does not fit in 64 bits}}
func.func @f(%a: memref<?x4611686018427387904xf32>) { return }

// -----

// expected-error@+1 {{the size of 'memref<4611686018427387904xvector<4xi8>>' does not fit in 64 bits}}
func.func @f(%a: memref<4611686018427387904xvector<4xi8>>) { return }

// -----

// expected-error@+1 {{the size of 'vector<4611686018427387904xf32>' does not fit in 64 bits}}
func.func @f(%a: vector<4611686018427387904xf32>) { return }

// -----

// expected-error@+1 {{the size of 'tensor<4611686018427387904xf32>' does not fit in 64 bits}}
func.func @f(%a: !flow.dispatch.tensor<readonly:4611686018427387904xf32>) { return }
