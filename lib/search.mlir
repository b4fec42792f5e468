// search.mlir - binary search of 8 values at a time, whose cache misses overlap.
//
// The method is that of NumPy's searchsorted (npysort/binsearch.cpp): each step compares the value with the middle one
// of the elements that are left, and selects a half of these, without a branch. How many steps there are depends on the
// number of elements only: log2(n) + 1. Only elements of the range are read, also where the list is not sorted.
//
// The prelude defines !K, an integer in which unsigned comparison orders.

// Whether an element stands left of where the value goes: elements equal to it do where it goes to the right of them.
func.func private @left_of(%element: !K, %value: !K, %right: i1) -> i1 {
  %left = scf.if %right -> (i1) {
    %not_behind = arith.cmpi ule, %element, %value : !K
    scf.yield %not_behind : i1
  } else {
    %before = arith.cmpi ult, %element, %value : !K
    scf.yield %before : i1
  }
  return %left : i1
}

// One step for one value: past the first half of the keys, if the value is not among them.
func.func private @search_step(%keys: memref<?x!K>, %place: index, %half: index, %value: !K, %right: i1) -> index {
  %middle = arith.addi %place, %half : index
  %element = memref.load %keys[%middle] : memref<?x!K>
  %is_left = func.call @left_of(%element, %value, %right) : (!K, !K, i1) -> i1
  %moved = arith.select %is_left, %middle, %place : index
  return %moved : index
}

// Each of 8 places from %first on moves from the begin of the %size keys in which its value is searched to the last key
// that is left of the value, or the first. The places are carried by the loop, so that they are in registers.
func.func private @search_eight(%keys: memref<?x!K>, %values: memref<16x!K>, %places: memref<16xindex>, %first: index,
    %size: index, %right: i1) {
  %c1 = arith.constant 1 : index
  %k0 = arith.constant 0 : index
  %i0 = arith.addi %first, %k0 : index
  %v0 = memref.load %values[%i0] : memref<16x!K>
  %p0 = memref.load %places[%i0] : memref<16xindex>
  %k1 = arith.constant 1 : index
  %i1 = arith.addi %first, %k1 : index
  %v1 = memref.load %values[%i1] : memref<16x!K>
  %p1 = memref.load %places[%i1] : memref<16xindex>
  %k2 = arith.constant 2 : index
  %i2 = arith.addi %first, %k2 : index
  %v2 = memref.load %values[%i2] : memref<16x!K>
  %p2 = memref.load %places[%i2] : memref<16xindex>
  %k3 = arith.constant 3 : index
  %i3 = arith.addi %first, %k3 : index
  %v3 = memref.load %values[%i3] : memref<16x!K>
  %p3 = memref.load %places[%i3] : memref<16xindex>
  %k4 = arith.constant 4 : index
  %i4 = arith.addi %first, %k4 : index
  %v4 = memref.load %values[%i4] : memref<16x!K>
  %p4 = memref.load %places[%i4] : memref<16xindex>
  %k5 = arith.constant 5 : index
  %i5 = arith.addi %first, %k5 : index
  %v5 = memref.load %values[%i5] : memref<16x!K>
  %p5 = memref.load %places[%i5] : memref<16xindex>
  %k6 = arith.constant 6 : index
  %i6 = arith.addi %first, %k6 : index
  %v6 = memref.load %values[%i6] : memref<16x!K>
  %p6 = memref.load %places[%i6] : memref<16xindex>
  %k7 = arith.constant 7 : index
  %i7 = arith.addi %first, %k7 : index
  %v7 = memref.load %values[%i7] : memref<16x!K>
  %p7 = memref.load %places[%i7] : memref<16xindex>
  %found:9 = scf.while (%left = %size, %a0 = %p0, %a1 = %p1, %a2 = %p2, %a3 = %p3, %a4 = %p4, %a5 = %p5, %a6 = %p6,
      %a7 = %p7)
      : (index, index, index, index, index, index, index, index, index)
      -> (index, index, index, index, index, index, index, index, index) {
    %more = arith.cmpi ugt, %left, %c1 : index
    scf.condition(%more) %left, %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7
        : index, index, index, index, index, index, index, index, index
  } do {
  ^bb0(%left: index, %a0: index, %a1: index, %a2: index, %a3: index, %a4: index, %a5: index, %a6: index, %a7: index):
    %half = arith.shrui %left, %c1 : index
    %b0 = func.call @search_step(%keys, %a0, %half, %v0, %right) : (memref<?x!K>, index, index, !K, i1) -> index
    %b1 = func.call @search_step(%keys, %a1, %half, %v1, %right) : (memref<?x!K>, index, index, !K, i1) -> index
    %b2 = func.call @search_step(%keys, %a2, %half, %v2, %right) : (memref<?x!K>, index, index, !K, i1) -> index
    %b3 = func.call @search_step(%keys, %a3, %half, %v3, %right) : (memref<?x!K>, index, index, !K, i1) -> index
    %b4 = func.call @search_step(%keys, %a4, %half, %v4, %right) : (memref<?x!K>, index, index, !K, i1) -> index
    %b5 = func.call @search_step(%keys, %a5, %half, %v5, %right) : (memref<?x!K>, index, index, !K, i1) -> index
    %b6 = func.call @search_step(%keys, %a6, %half, %v6, %right) : (memref<?x!K>, index, index, !K, i1) -> index
    %b7 = func.call @search_step(%keys, %a7, %half, %v7, %right) : (memref<?x!K>, index, index, !K, i1) -> index
    %rest = arith.subi %left, %half : index
    scf.yield %rest, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7
        : index, index, index, index, index, index, index, index, index
  }
  memref.store %found#1, %places[%i0] : memref<16xindex>
  memref.store %found#2, %places[%i1] : memref<16xindex>
  memref.store %found#3, %places[%i2] : memref<16xindex>
  memref.store %found#4, %places[%i3] : memref<16xindex>
  memref.store %found#5, %places[%i4] : memref<16xindex>
  memref.store %found#6, %places[%i5] : memref<16xindex>
  memref.store %found#7, %places[%i6] : memref<16xindex>
  memref.store %found#8, %places[%i7] : memref<16xindex>
  return
}

// Each of 16 places moves from the begin of the %size keys in which its value is searched to where the value goes.
func.func private @search_block(%keys: memref<?x!K>, %values: memref<16x!K>, %places: memref<16xindex>, %size: index,
    %right: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %first = %c0 to %c16 step %c8 {
    func.call @search_eight(%keys, %values, %places, %first, %size, %right)
        : (memref<?x!K>, memref<16x!K>, memref<16xindex>, index, index, i1) -> ()
  }
  %has_one = arith.cmpi ugt, %size, %c0 : index
  scf.if %has_one {
    scf.for %i = %c0 to %c16 step %c1 {
      %place = memref.load %places[%i] : memref<16xindex>
      %value = memref.load %values[%i] : memref<16x!K>
      %element = memref.load %keys[%place] : memref<?x!K>
      %is_left = func.call @left_of(%element, %value, %right) : (!K, !K, i1) -> i1
      %behind = arith.addi %place, %c1 : index
      %end = arith.select %is_left, %behind, %place : index
      memref.store %end, %places[%i] : memref<16xindex>
    }
  }
  return
}
