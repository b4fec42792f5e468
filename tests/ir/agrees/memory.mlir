// RUN: noria opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect
// Alignments, and loads and stores of vectors.

func.func @f(%m: memref<f32>) {
  // expected-error@+1 {{'memref.alloc' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.alloc() {alignment = 3} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // expected-error@+1 {{'memref.alloc' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.alloc() {alignment = 0} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // expected-error@+1 {{'memref.alloc' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.alloc() {alignment = -8} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // expected-error@+1 {{'memref.alloc' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.alloc() {alignment = 8 : i32} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // expected-error@+1 {{'memref.alloca' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.alloca() {alignment = 3} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<f32>) {
  // expected-error@+1 {{'memref.alloca' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.alloca() {alignment = 0} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{'memref.assume_alignment' op attribute 'alignment' failed to satisfy constraint: 32-bit signless integer attribute whose value is a positive power of two}}
  memref.assume_alignment %m, 3 : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{'memref.assume_alignment' op attribute 'alignment' failed to satisfy constraint: 32-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.assume_alignment %m, 3 : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{'memref.assume_alignment' op attribute 'alignment' failed to satisfy constraint: 32-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.assume_alignment %m, 0 : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error@+1 {{'memref.assume_alignment' op attribute 'alignment' failed to satisfy constraint: 32-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.assume_alignment %m, -4 : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{'memref.load' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.load %m[%i] {alignment = 3} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index) {
  // expected-error@+1 {{'memref.load' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.load %m[%i] {alignment = 0} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index) {
  %r = memref.load %m[%i] {alignment = 16} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index, %v: f32) {
  // expected-error@+1 {{'memref.store' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  memref.store %v, %m[%i] {alignment = 3} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>, %i: index, %v: f32) {
  // expected-error@+1 {{'memref.store' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  memref.store %v, %m[%i] {alignment = 0} : memref<4xf32>
  return
}

// -----

// expected-error@+1 {{'memref.global' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
memref.global @g : memref<4xf32> {alignment = 3}

// -----

// expected-error@+1 {{'memref.global' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
memref.global @g : memref<4xf32> {alignment = 0}

// -----

// expected-error@+1 {{'memref.global' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
memref.global @g : memref<4xf32> {alignment = -1}

// -----

memref.global @g : memref<4xf32> {alignment = 16}

// -----

func.func @f(%m: memref<?xf32>, %i: index) {
  // expected-error@+1 {{'memref.realloc' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.realloc %m {alignment = 3} : memref<?xf32> to memref<8xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index) {
  // expected-error@+1 {{'memref.realloc' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = memref.realloc %m {alignment = 0} : memref<?xf32> to memref<8xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index) {
  // expected-error@+1 {{'vector.load' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = vector.load %m[%i] {alignment = 3} : memref<?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index) {
  // expected-error@+1 {{'vector.load' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = vector.load %m[%i] {alignment = 0} : memref<?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<4xf32>) {
  // expected-error@+1 {{'vector.store' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  vector.store %v, %m[%i] {alignment = 3} : memref<?xf32>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>) {
  // expected-error@+1 {{'vector.maskedload' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = vector.maskedload %m[%i], %k, %v {alignment = 3} : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>) {
  // expected-error@+1 {{'vector.maskedstore' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  vector.maskedstore %m[%i], %k, %v {alignment = 3} : memref<?xf32>, vector<4xi1>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>, %x: vector<4xi32>) {
  // expected-error@+1 {{'vector.gather' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = vector.gather %m[%i] [%x], %k, %v {alignment = 3} : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>, %x: vector<4xi32>) {
  // expected-error@+1 {{'vector.scatter' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  vector.scatter %m[%i] [%x], %k, %v {alignment = 3} : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>, %x: vector<4xi32>) {
  // expected-error@+1 {{'vector.compressstore' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  vector.compressstore %m[%i], %k, %v {alignment = 3} : memref<?xf32>, vector<4xi1>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>, %x: vector<4xi32>) {
  // expected-error@+1 {{'vector.expandload' op attribute 'alignment' failed to satisfy constraint: 64-bit signless integer attribute whose value is a positive power of two}}
  %r = vector.expandload %m[%i], %k, %v {alignment = 3} : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index) {
  // expected-error@+1 {{'vector.load' op (C4) the memref has lower rank than the vector}}
  %r = vector.load %m[%i] : memref<?xf32>, vector<2x4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<2x4xf32>) {
  // expected-error@+1 {{'vector.store' op (C4) the memref has lower rank than the vector}}
  vector.store %v, %m[%i] : memref<?xf32>, vector<2x4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index) {
  // expected-error@+1 {{'vector.load' op (C3) most minor memref dim must have unit stride}}
  %r = vector.load %m[%i] : memref<?xf32, strided<[2]>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[?]>>, %i: index) {
  // expected-error@+1 {{'vector.load' op (C3) most minor memref dim must have unit stride}}
  %r = vector.load %m[%i] : memref<?xf32, strided<[?]>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index) {
  %r = vector.load %m[%i] : memref<?xf32, strided<[2]>>, vector<1xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[1], offset: ?>>, %i: index) {
  %r = vector.load %m[%i] : memref<?xf32, strided<[1], offset: ?>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?x?xf32, strided<[?, 1], offset: ?>>, %i: index) {
  %r = vector.load %m[%i, %i] : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<4x4xf32>
  return
}

// -----

func.func @f(%m: memref<?x?xf32, strided<[3, 2], offset: ?>>, %i: index) {
  // expected-error@+1 {{'vector.load' op (C3) most minor memref dim must have unit stride}}
  %r = vector.load %m[%i, %i] : memref<?x?xf32, strided<[3, 2], offset: ?>>, vector<4x1xf32>
  return
}

// -----

func.func @f(%m: memref<?x?xf32, strided<[3, 2], offset: ?>>, %i: index) {
  %r = vector.load %m[%i, %i] : memref<?x?xf32, strided<[3, 2], offset: ?>>, vector<f32>
  return
}

// -----

func.func @f(%m: memref<f32>, %i: index) {
  %r = vector.load %m[] : memref<f32>, vector<f32>
  return
}

// -----

func.func @f(%m: memref<f32>, %i: index) {
  // expected-error@+1 {{'vector.load' op (C4) the memref has lower rank than the vector}}
  %r = vector.load %m[] : memref<f32>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: vector<4xf32>) {
  // expected-error@+1 {{'vector.store' op (C3) most minor memref dim must have unit stride}}
  vector.store %v, %m[%i] : memref<?xf32, strided<[2]>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, affine_map<(d0) -> (d0 * 2)>>, %i: index, %v: vector<4xf32>) {
  // expected-error@+1 {{'vector.store' op (C3) most minor memref dim must have unit stride}}
  vector.store %v, %m[%i] : memref<?xf32, affine_map<(d0) -> (d0 * 2)>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, affine_map<(d0) -> (d0 floordiv 2)>>, %i: index, %v: vector<4xf32>) {
  // expected-error@+1 {{'vector.store' op (C3) most minor memref dim must have unit stride}}
  vector.store %v, %m[%i] : memref<?xf32, affine_map<(d0) -> (d0 floordiv 2)>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>) {
  %r = vector.maskedload %m[%i], %k, %v : memref<?xf32, strided<[2]>>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>) {
  vector.maskedstore %m[%i], %k, %v : memref<?xf32, strided<[2]>>, vector<4xi1>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>) {
  %r = vector.expandload %m[%i], %k, %v : memref<?xf32, strided<[2]>>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>) {
  vector.compressstore %m[%i], %k, %v : memref<?xf32, strided<[2]>>, vector<4xi1>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>, %x: vector<4xi32>) {
  %r = vector.gather %m[%i] [%x], %k, %v : memref<?xf32, strided<[2]>>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: vector<4xf32>, %k: vector<4xi1>, %x: vector<4xi32>) {
  vector.scatter %m[%i] [%x], %k, %v : memref<?xf32, strided<[2]>>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<2x4xf32>, %k: vector<2x4xi1>) {
  %r = vector.maskedload %m[%i], %k, %v : memref<?xf32>, vector<2x4xi1>, vector<2x4xf32> into vector<2x4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %v: vector<2x4xf32>, %k: vector<2x4xi1>) {
  vector.maskedstore %m[%i], %k, %v : memref<?xf32>, vector<2x4xi1>, vector<2x4xf32>
  return
}

// -----

func.func @f(%m: memref<?xi32>, %i: index) {
  // expected-error@+1 {{'vector.load' op (C2) base and vector types should have the same element type}}
  %r = vector.load %m[%i] : memref<?xi32>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xvector<4xf32>>, %i: index) {
  %r = vector.load %m[%i] : memref<?xvector<4xf32>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xvector<4xf32>, strided<[2]>>, %i: index) {
  // expected-error@+1 {{'vector.load' op (C3) most minor memref dim must have unit stride}}
  %r = vector.load %m[%i] : memref<?xvector<4xf32>, strided<[2]>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xvector<4xf32>>, %i: index) {
  // expected-error@+1 {{'vector.load' op (C2) base and vector types should have the same element type}}
  %r = vector.load %m[%i] : memref<?xvector<4xf32>>, vector<8xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: f32) {
  %r = vector.transfer_read %m[%i], %v : memref<?xf32, strided<[2]>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?x?xf32, strided<[2, 2]>>, %i: index, %v: f32) {
  %r = vector.transfer_read %m[%i, %i], %v : memref<?x?xf32, strided<[2, 2]>>, vector<4xf32>
  return
}

// -----

func.func @f(%m: memref<?xf32, strided<[2]>>, %i: index, %v: vector<4xf32>) {
  vector.transfer_write %v, %m[%i] : vector<4xf32>, memref<?xf32, strided<[2]>>
  return
}
