// Each loop that is peeled doubles what is in it: without a limit 24 of them in each other would make 2^24 bodies.
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{skip-partial=false}' --no-verify %s -o /dev/null
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-full}' %s -o /dev/null
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-factor=4096}' %s -o /dev/null
// Nor do passes one after another grow it without measure: 2^17 ops, and 2^15 for each pass more; lines are the measure.
// RUN: noria opt --pass-pipeline='loop-unroll{unroll-num-reps=16},loop-unroll{unroll-num-reps=16}' --no-verify %s -o %t
// RUN: awk 'END { exit NR < 4096 || NR > 300000 }' %t
// RUN: noria opt --pass-pipeline='scf-for-loop-peeling{skip-partial=false},loop-unroll' --no-verify %s -o %t
// RUN: awk 'END { exit NR < 4096 || NR > 300000 }' %t
func.func @nest(%m: memref<?xindex>, %n: index, %s: index) {
  %c0 = arith.constant 0 : index
  scf.for %i0 = %c0 to %n step %s {
    scf.for %i1 = %c0 to %n step %s {
      scf.for %i2 = %c0 to %n step %s {
        scf.for %i3 = %c0 to %n step %s {
          scf.for %i4 = %c0 to %n step %s {
            scf.for %i5 = %c0 to %n step %s {
              scf.for %i6 = %c0 to %n step %s {
                scf.for %i7 = %c0 to %n step %s {
                  scf.for %i8 = %c0 to %n step %s {
                    scf.for %i9 = %c0 to %n step %s {
                      scf.for %i10 = %c0 to %n step %s {
                        scf.for %i11 = %c0 to %n step %s {
                          scf.for %i12 = %c0 to %n step %s {
                            scf.for %i13 = %c0 to %n step %s {
                              scf.for %i14 = %c0 to %n step %s {
                                scf.for %i15 = %c0 to %n step %s {
                                  scf.for %i16 = %c0 to %n step %s {
                                    scf.for %i17 = %c0 to %n step %s {
                                      scf.for %i18 = %c0 to %n step %s {
                                        scf.for %i19 = %c0 to %n step %s {
                                          scf.for %i20 = %c0 to %n step %s {
                                            scf.for %i21 = %c0 to %n step %s {
                                              scf.for %i22 = %c0 to %n step %s {
                                                scf.for %i23 = %c0 to %n step %s {
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
