// Each loop whose bound is a minimum doubles: 24 of them in each other would make 2^24 bodies.
// RUN: noria opt --pass-pipeline='scf-parallel-loop-specialization' --no-verify %s -o %t
// RUN: awk 'END { exit NR < 4096 || NR > 300000 }' %t
func.func @nest(%m: memref<?xindex>, %left: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.minsi %left, %c4 : index
  scf.parallel (%i0) = (%c0) to (%n) step (%c1) {
    scf.parallel (%i1) = (%c0) to (%n) step (%c1) {
      scf.parallel (%i2) = (%c0) to (%n) step (%c1) {
        scf.parallel (%i3) = (%c0) to (%n) step (%c1) {
          scf.parallel (%i4) = (%c0) to (%n) step (%c1) {
            scf.parallel (%i5) = (%c0) to (%n) step (%c1) {
              scf.parallel (%i6) = (%c0) to (%n) step (%c1) {
                scf.parallel (%i7) = (%c0) to (%n) step (%c1) {
                  scf.parallel (%i8) = (%c0) to (%n) step (%c1) {
                    scf.parallel (%i9) = (%c0) to (%n) step (%c1) {
                      scf.parallel (%i10) = (%c0) to (%n) step (%c1) {
                        scf.parallel (%i11) = (%c0) to (%n) step (%c1) {
                          scf.parallel (%i12) = (%c0) to (%n) step (%c1) {
                            scf.parallel (%i13) = (%c0) to (%n) step (%c1) {
                              scf.parallel (%i14) = (%c0) to (%n) step (%c1) {
                                scf.parallel (%i15) = (%c0) to (%n) step (%c1) {
                                  scf.parallel (%i16) = (%c0) to (%n) step (%c1) {
                                    scf.parallel (%i17) = (%c0) to (%n) step (%c1) {
                                      scf.parallel (%i18) = (%c0) to (%n) step (%c1) {
                                        scf.parallel (%i19) = (%c0) to (%n) step (%c1) {
                                          scf.parallel (%i20) = (%c0) to (%n) step (%c1) {
                                            scf.parallel (%i21) = (%c0) to (%n) step (%c1) {
                                              scf.parallel (%i22) = (%c0) to (%n) step (%c1) {
                                                scf.parallel (%i23) = (%c0) to (%n) step (%c1) {
                                                  memref.store %i0, %m[%i1] : memref<?xindex>
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  return
}
