// Two loops over one range whose buffers share memory: the second reads what the first wrote at another place. They are
// not one loop.
func.func private @rows(%a: memref<8xi32>, %b: memref<8xi32>, %out: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  scf.parallel (%i) = (%c0) to (%c7) step (%c1) {
    %x = arith.index_cast %i : index to i32
    memref.store %x, %a[%i] : memref<8xi32>
  }
  scf.parallel (%i) = (%c0) to (%c7) step (%c1) {
    %j = arith.subi %c7, %i : index
    %x = memref.load %b[%j] : memref<8xi32>
    memref.store %x, %out[%i] : memref<8xi32>
  }
  return
}

func.func @main(%m: memref<16xi32>, %out: memref<8xi32>) {
  call @views(%m, %out) : (memref<16xi32>, memref<8xi32>) -> ()
  %a = memref.alloc() : memref<8xi32>
  %x = arith.constant 5 : i32
  linalg.fill ins(%x : i32) outs(%a : memref<8xi32>)
  call @rows(%a, %a, %out) : (memref<8xi32>, memref<8xi32>, memref<8xi32>) -> ()
  memref.dealloc %a : memref<8xi32>
  return
}

// Views of one buffer, one element apart.
func.func private @views(%m: memref<16xi32>, %out: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.subview %m[0] [8] [1] : memref<16xi32> to memref<8xi32, strided<[1]>>
  %b = memref.subview %m[1] [8] [1] : memref<16xi32> to memref<8xi32, strided<[1], offset: 1>>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = arith.index_cast %i : index to i32
    memref.store %x, %a[%i] : memref<8xi32, strided<[1]>>
  }
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = memref.load %b[%i] : memref<8xi32, strided<[1], offset: 1>>
    memref.store %x, %out[%i] : memref<8xi32>
  }
  return
}
