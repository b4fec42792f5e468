// sort_block.mlir - sorts up to 256 unsigned integers in registers: the network of sort_network.mlir, whose rows are 16
// vectors here.
//
// Elements of a list of 256 are a matrix of 16 rows, which are vectors; the columns are sorted, then merged in pairs,
// in pairs of pairs, and so on. Shorter lists are padded by the greatest integers.
//
// The prelude defines !S, an integer type. Uses lib/sort_network.mlir.

!V = vector<16x!S>

// Compares rows at a distance of 1.
func.func private @rows_at_1(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V, %r9: !V,
    %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @compare_rows(%r0, %r1) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @compare_rows(%r2, %r3) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @compare_rows(%r4, %r5) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @compare_rows(%r6, %r7) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @compare_rows(%r8, %r9) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @compare_rows(%r10, %r11) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @compare_rows(%r12, %r13) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @compare_rows(%r14, %r15) : (!V, !V) -> (!V, !V)
  return %p0#0, %p0#1, %p1#0, %p1#1, %p2#0, %p2#1, %p3#0, %p3#1, %p4#0, %p4#1, %p5#0, %p5#1, %p6#0, %p6#1, %p7#0, %p7#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares rows at a distance of 2.
func.func private @rows_at_2(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V, %r9: !V,
    %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @compare_rows(%r0, %r2) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @compare_rows(%r1, %r3) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @compare_rows(%r4, %r6) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @compare_rows(%r5, %r7) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @compare_rows(%r8, %r10) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @compare_rows(%r9, %r11) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @compare_rows(%r12, %r14) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @compare_rows(%r13, %r15) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p0#1, %p1#1, %p2#0, %p3#0, %p2#1, %p3#1, %p4#0, %p5#0, %p4#1, %p5#1, %p6#0, %p7#0, %p6#1, %p7#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares rows at a distance of 4.
func.func private @rows_at_4(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V, %r9: !V,
    %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @compare_rows(%r0, %r4) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @compare_rows(%r1, %r5) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @compare_rows(%r2, %r6) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @compare_rows(%r3, %r7) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @compare_rows(%r8, %r12) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @compare_rows(%r9, %r13) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @compare_rows(%r10, %r14) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @compare_rows(%r11, %r15) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p2#0, %p3#0, %p0#1, %p1#1, %p2#1, %p3#1, %p4#0, %p5#0, %p6#0, %p7#0, %p4#1, %p5#1, %p6#1, %p7#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares rows at a distance of 8.
func.func private @rows_at_8(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V, %r9: !V,
    %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @compare_rows(%r0, %r8) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @compare_rows(%r1, %r9) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @compare_rows(%r2, %r10) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @compare_rows(%r3, %r11) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @compare_rows(%r4, %r12) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @compare_rows(%r5, %r13) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @compare_rows(%r6, %r14) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @compare_rows(%r7, %r15) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p2#0, %p3#0, %p4#0, %p5#0, %p6#0, %p7#0, %p0#1, %p1#1, %p2#1, %p3#1, %p4#1, %p5#1, %p6#1, %p7#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares each row with that at the mirrored place of 4 rows.
func.func private @mirrored_rows_of_4(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @compare_rows(%r0, %r3) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @compare_rows(%r1, %r2) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @compare_rows(%r4, %r7) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @compare_rows(%r5, %r6) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @compare_rows(%r8, %r11) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @compare_rows(%r9, %r10) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @compare_rows(%r12, %r15) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @compare_rows(%r13, %r14) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p1#1, %p0#1, %p2#0, %p3#0, %p3#1, %p2#1, %p4#0, %p5#0, %p5#1, %p4#1, %p6#0, %p7#0, %p7#1, %p6#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares each row with that at the mirrored place of 8 rows.
func.func private @mirrored_rows_of_8(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @compare_rows(%r0, %r7) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @compare_rows(%r1, %r6) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @compare_rows(%r2, %r5) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @compare_rows(%r3, %r4) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @compare_rows(%r8, %r15) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @compare_rows(%r9, %r14) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @compare_rows(%r10, %r13) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @compare_rows(%r11, %r12) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p2#0, %p3#0, %p3#1, %p2#1, %p1#1, %p0#1, %p4#0, %p5#0, %p6#0, %p7#0, %p7#1, %p6#1, %p5#1, %p4#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares each row with that at the mirrored place of 16 rows.
func.func private @mirrored_rows_of_16(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @compare_rows(%r0, %r15) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @compare_rows(%r1, %r14) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @compare_rows(%r2, %r13) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @compare_rows(%r3, %r12) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @compare_rows(%r4, %r11) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @compare_rows(%r5, %r10) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @compare_rows(%r6, %r9) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @compare_rows(%r7, %r8) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p2#0, %p3#0, %p4#0, %p5#0, %p6#0, %p7#0, %p7#1, %p6#1, %p5#1, %p4#1, %p3#1, %p2#1, %p1#1, %p0#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares rows at all distances: the end of a merge.
func.func private @all_rows(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V, %r9: !V,
    %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %s0:16 = func.call @rows_at_8(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s1:16 = func.call @rows_at_4(%s0#0, %s0#1, %s0#2, %s0#3, %s0#4, %s0#5, %s0#6, %s0#7, %s0#8, %s0#9, %s0#10, %s0#11,
      %s0#12, %s0#13, %s0#14, %s0#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s2:16 = func.call @rows_at_2(%s1#0, %s1#1, %s1#2, %s1#3, %s1#4, %s1#5, %s1#6, %s1#7, %s1#8, %s1#9, %s1#10, %s1#11,
      %s1#12, %s1#13, %s1#14, %s1#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s3:16 = func.call @rows_at_1(%s2#0, %s2#1, %s2#2, %s2#3, %s2#4, %s2#5, %s2#6, %s2#7, %s2#8, %s2#9, %s2#10, %s2#11,
      %s2#12, %s2#13, %s2#14, %s2#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  return %s3#0, %s3#1, %s3#2, %s3#3, %s3#4, %s3#5, %s3#6, %s3#7, %s3#8, %s3#9, %s3#10, %s3#11, %s3#12, %s3#13, %s3#14,
      %s3#15 : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Sorts each column, by merges of 2, 4, .. rows.
func.func private @sort_16_rows(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %s0:16 = func.call @rows_at_1(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s1:16 = func.call @mirrored_rows_of_4(%s0#0, %s0#1, %s0#2, %s0#3, %s0#4, %s0#5, %s0#6, %s0#7, %s0#8, %s0#9, %s0#10,
      %s0#11, %s0#12, %s0#13, %s0#14, %s0#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s2:16 = func.call @rows_at_1(%s1#0, %s1#1, %s1#2, %s1#3, %s1#4, %s1#5, %s1#6, %s1#7, %s1#8, %s1#9, %s1#10, %s1#11,
      %s1#12, %s1#13, %s1#14, %s1#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s3:16 = func.call @mirrored_rows_of_8(%s2#0, %s2#1, %s2#2, %s2#3, %s2#4, %s2#5, %s2#6, %s2#7, %s2#8, %s2#9, %s2#10,
      %s2#11, %s2#12, %s2#13, %s2#14, %s2#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s4:16 = func.call @rows_at_2(%s3#0, %s3#1, %s3#2, %s3#3, %s3#4, %s3#5, %s3#6, %s3#7, %s3#8, %s3#9, %s3#10, %s3#11,
      %s3#12, %s3#13, %s3#14, %s3#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s5:16 = func.call @rows_at_1(%s4#0, %s4#1, %s4#2, %s4#3, %s4#4, %s4#5, %s4#6, %s4#7, %s4#8, %s4#9, %s4#10, %s4#11,
      %s4#12, %s4#13, %s4#14, %s4#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s6:16 = func.call @mirrored_rows_of_16(%s5#0, %s5#1, %s5#2, %s5#3, %s5#4, %s5#5, %s5#6, %s5#7, %s5#8, %s5#9, %s5#10,
      %s5#11, %s5#12, %s5#13, %s5#14, %s5#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s7:16 = func.call @rows_at_4(%s6#0, %s6#1, %s6#2, %s6#3, %s6#4, %s6#5, %s6#6, %s6#7, %s6#8, %s6#9, %s6#10, %s6#11,
      %s6#12, %s6#13, %s6#14, %s6#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s8:16 = func.call @rows_at_2(%s7#0, %s7#1, %s7#2, %s7#3, %s7#4, %s7#5, %s7#6, %s7#7, %s7#8, %s7#9, %s7#10, %s7#11,
      %s7#12, %s7#13, %s7#14, %s7#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s9:16 = func.call @rows_at_1(%s8#0, %s8#1, %s8#2, %s8#3, %s8#4, %s8#5, %s8#6, %s8#7, %s8#8, %s8#9, %s8#10, %s8#11,
      %s8#12, %s8#13, %s8#14, %s8#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  return %s9#0, %s9#1, %s9#2, %s9#3, %s9#4, %s9#5, %s9#6, %s9#7, %s9#8, %s9#9, %s9#10, %s9#11, %s9#12, %s9#13, %s9#14,
      %s9#15 : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// The first step of a merge of lists of 1 column.
func.func private @mirrored_columns_of_2(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V,
    %r8: !V, %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @merge_mirrored_1(%r0, %r15) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @merge_mirrored_1(%r1, %r14) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @merge_mirrored_1(%r2, %r13) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @merge_mirrored_1(%r3, %r12) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @merge_mirrored_1(%r4, %r11) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @merge_mirrored_1(%r5, %r10) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @merge_mirrored_1(%r6, %r9) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @merge_mirrored_1(%r7, %r8) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p2#0, %p3#0, %p4#0, %p5#0, %p6#0, %p7#0, %p7#1, %p6#1, %p5#1, %p4#1, %p3#1, %p2#1, %p1#1, %p0#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// The first step of a merge of lists of 2 columns.
func.func private @mirrored_columns_of_4(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V,
    %r8: !V, %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @merge_mirrored_2(%r0, %r15) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @merge_mirrored_2(%r1, %r14) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @merge_mirrored_2(%r2, %r13) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @merge_mirrored_2(%r3, %r12) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @merge_mirrored_2(%r4, %r11) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @merge_mirrored_2(%r5, %r10) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @merge_mirrored_2(%r6, %r9) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @merge_mirrored_2(%r7, %r8) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p2#0, %p3#0, %p4#0, %p5#0, %p6#0, %p7#0, %p7#1, %p6#1, %p5#1, %p4#1, %p3#1, %p2#1, %p1#1, %p0#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// The first step of a merge of lists of 4 columns.
func.func private @mirrored_columns_of_8(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V,
    %r8: !V, %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @merge_mirrored_4(%r0, %r15) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @merge_mirrored_4(%r1, %r14) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @merge_mirrored_4(%r2, %r13) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @merge_mirrored_4(%r3, %r12) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @merge_mirrored_4(%r4, %r11) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @merge_mirrored_4(%r5, %r10) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @merge_mirrored_4(%r6, %r9) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @merge_mirrored_4(%r7, %r8) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p2#0, %p3#0, %p4#0, %p5#0, %p6#0, %p7#0, %p7#1, %p6#1, %p5#1, %p4#1, %p3#1, %p2#1, %p1#1, %p0#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// The first step of a merge of lists of 8 columns.
func.func private @mirrored_columns_of_16(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V,
    %r8: !V, %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @merge_mirrored_8(%r0, %r15) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @merge_mirrored_8(%r1, %r14) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @merge_mirrored_8(%r2, %r13) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @merge_mirrored_8(%r3, %r12) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @merge_mirrored_8(%r4, %r11) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @merge_mirrored_8(%r5, %r10) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @merge_mirrored_8(%r6, %r9) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @merge_mirrored_8(%r7, %r8) : (!V, !V) -> (!V, !V)
  return %p0#0, %p1#0, %p2#0, %p3#0, %p4#0, %p5#0, %p6#0, %p7#0, %p7#1, %p6#1, %p5#1, %p4#1, %p3#1, %p2#1, %p1#1, %p0#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares columns at a distance of 1.
func.func private @columns_at_1(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %c0 = func.call @compare_columns_1(%r0) : (!V) -> !V
  %c1 = func.call @compare_columns_1(%r1) : (!V) -> !V
  %c2 = func.call @compare_columns_1(%r2) : (!V) -> !V
  %c3 = func.call @compare_columns_1(%r3) : (!V) -> !V
  %c4 = func.call @compare_columns_1(%r4) : (!V) -> !V
  %c5 = func.call @compare_columns_1(%r5) : (!V) -> !V
  %c6 = func.call @compare_columns_1(%r6) : (!V) -> !V
  %c7 = func.call @compare_columns_1(%r7) : (!V) -> !V
  %c8 = func.call @compare_columns_1(%r8) : (!V) -> !V
  %c9 = func.call @compare_columns_1(%r9) : (!V) -> !V
  %c10 = func.call @compare_columns_1(%r10) : (!V) -> !V
  %c11 = func.call @compare_columns_1(%r11) : (!V) -> !V
  %c12 = func.call @compare_columns_1(%r12) : (!V) -> !V
  %c13 = func.call @compare_columns_1(%r13) : (!V) -> !V
  %c14 = func.call @compare_columns_1(%r14) : (!V) -> !V
  %c15 = func.call @compare_columns_1(%r15) : (!V) -> !V
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares columns at a distance of 2.
func.func private @columns_at_2(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %c0 = func.call @compare_columns_2(%r0) : (!V) -> !V
  %c1 = func.call @compare_columns_2(%r1) : (!V) -> !V
  %c2 = func.call @compare_columns_2(%r2) : (!V) -> !V
  %c3 = func.call @compare_columns_2(%r3) : (!V) -> !V
  %c4 = func.call @compare_columns_2(%r4) : (!V) -> !V
  %c5 = func.call @compare_columns_2(%r5) : (!V) -> !V
  %c6 = func.call @compare_columns_2(%r6) : (!V) -> !V
  %c7 = func.call @compare_columns_2(%r7) : (!V) -> !V
  %c8 = func.call @compare_columns_2(%r8) : (!V) -> !V
  %c9 = func.call @compare_columns_2(%r9) : (!V) -> !V
  %c10 = func.call @compare_columns_2(%r10) : (!V) -> !V
  %c11 = func.call @compare_columns_2(%r11) : (!V) -> !V
  %c12 = func.call @compare_columns_2(%r12) : (!V) -> !V
  %c13 = func.call @compare_columns_2(%r13) : (!V) -> !V
  %c14 = func.call @compare_columns_2(%r14) : (!V) -> !V
  %c15 = func.call @compare_columns_2(%r15) : (!V) -> !V
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Compares columns at a distance of 4.
func.func private @columns_at_4(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %c0 = func.call @compare_columns_4(%r0) : (!V) -> !V
  %c1 = func.call @compare_columns_4(%r1) : (!V) -> !V
  %c2 = func.call @compare_columns_4(%r2) : (!V) -> !V
  %c3 = func.call @compare_columns_4(%r3) : (!V) -> !V
  %c4 = func.call @compare_columns_4(%r4) : (!V) -> !V
  %c5 = func.call @compare_columns_4(%r5) : (!V) -> !V
  %c6 = func.call @compare_columns_4(%r6) : (!V) -> !V
  %c7 = func.call @compare_columns_4(%r7) : (!V) -> !V
  %c8 = func.call @compare_columns_4(%r8) : (!V) -> !V
  %c9 = func.call @compare_columns_4(%r9) : (!V) -> !V
  %c10 = func.call @compare_columns_4(%r10) : (!V) -> !V
  %c11 = func.call @compare_columns_4(%r11) : (!V) -> !V
  %c12 = func.call @compare_columns_4(%r12) : (!V) -> !V
  %c13 = func.call @compare_columns_4(%r13) : (!V) -> !V
  %c14 = func.call @compare_columns_4(%r14) : (!V) -> !V
  %c15 = func.call @compare_columns_4(%r15) : (!V) -> !V
  return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Interleaves the halves of the list.
func.func private @interleave_halves(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %p0:2 = func.call @interleave(%r0, %r8) : (!V, !V) -> (!V, !V)
  %p1:2 = func.call @interleave(%r1, %r9) : (!V, !V) -> (!V, !V)
  %p2:2 = func.call @interleave(%r2, %r10) : (!V, !V) -> (!V, !V)
  %p3:2 = func.call @interleave(%r3, %r11) : (!V, !V) -> (!V, !V)
  %p4:2 = func.call @interleave(%r4, %r12) : (!V, !V) -> (!V, !V)
  %p5:2 = func.call @interleave(%r5, %r13) : (!V, !V) -> (!V, !V)
  %p6:2 = func.call @interleave(%r6, %r14) : (!V, !V) -> (!V, !V)
  %p7:2 = func.call @interleave(%r7, %r15) : (!V, !V) -> (!V, !V)
  return %p0#0, %p0#1, %p1#0, %p1#1, %p2#0, %p2#1, %p3#0, %p3#1, %p4#0, %p4#1, %p5#0, %p5#1, %p6#0, %p6#1, %p7#0, %p7#1
      : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Sorts the matrix.
func.func private @sort_matrix(%r0: !V, %r1: !V, %r2: !V, %r3: !V, %r4: !V, %r5: !V, %r6: !V, %r7: !V, %r8: !V,
    %r9: !V, %r10: !V, %r11: !V, %r12: !V, %r13: !V, %r14: !V, %r15: !V)
    -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V) {
  %s0:16 = func.call @sort_16_rows(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s1:16 = func.call @mirrored_columns_of_2(%s0#0, %s0#1, %s0#2, %s0#3, %s0#4, %s0#5, %s0#6, %s0#7, %s0#8, %s0#9,
      %s0#10, %s0#11, %s0#12, %s0#13, %s0#14, %s0#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s2:16 = func.call @all_rows(%s1#0, %s1#1, %s1#2, %s1#3, %s1#4, %s1#5, %s1#6, %s1#7, %s1#8, %s1#9, %s1#10, %s1#11,
      %s1#12, %s1#13, %s1#14, %s1#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s3:16 = func.call @mirrored_columns_of_4(%s2#0, %s2#1, %s2#2, %s2#3, %s2#4, %s2#5, %s2#6, %s2#7, %s2#8, %s2#9,
      %s2#10, %s2#11, %s2#12, %s2#13, %s2#14, %s2#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s4:16 = func.call @columns_at_1(%s3#0, %s3#1, %s3#2, %s3#3, %s3#4, %s3#5, %s3#6, %s3#7, %s3#8, %s3#9, %s3#10,
      %s3#11, %s3#12, %s3#13, %s3#14, %s3#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s5:16 = func.call @all_rows(%s4#0, %s4#1, %s4#2, %s4#3, %s4#4, %s4#5, %s4#6, %s4#7, %s4#8, %s4#9, %s4#10, %s4#11,
      %s4#12, %s4#13, %s4#14, %s4#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s6:16 = func.call @mirrored_columns_of_8(%s5#0, %s5#1, %s5#2, %s5#3, %s5#4, %s5#5, %s5#6, %s5#7, %s5#8, %s5#9,
      %s5#10, %s5#11, %s5#12, %s5#13, %s5#14, %s5#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s7:16 = func.call @columns_at_2(%s6#0, %s6#1, %s6#2, %s6#3, %s6#4, %s6#5, %s6#6, %s6#7, %s6#8, %s6#9, %s6#10,
      %s6#11, %s6#12, %s6#13, %s6#14, %s6#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s8:16 = func.call @columns_at_1(%s7#0, %s7#1, %s7#2, %s7#3, %s7#4, %s7#5, %s7#6, %s7#7, %s7#8, %s7#9, %s7#10,
      %s7#11, %s7#12, %s7#13, %s7#14, %s7#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s9:16 = func.call @all_rows(%s8#0, %s8#1, %s8#2, %s8#3, %s8#4, %s8#5, %s8#6, %s8#7, %s8#8, %s8#9, %s8#10, %s8#11,
      %s8#12, %s8#13, %s8#14, %s8#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s10:16 = func.call @mirrored_columns_of_16(%s9#0, %s9#1, %s9#2, %s9#3, %s9#4, %s9#5, %s9#6, %s9#7, %s9#8, %s9#9,
      %s9#10, %s9#11, %s9#12, %s9#13, %s9#14, %s9#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s11:16 = func.call @columns_at_4(%s10#0, %s10#1, %s10#2, %s10#3, %s10#4, %s10#5, %s10#6, %s10#7, %s10#8, %s10#9,
      %s10#10, %s10#11, %s10#12, %s10#13, %s10#14, %s10#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s12:16 = func.call @columns_at_2(%s11#0, %s11#1, %s11#2, %s11#3, %s11#4, %s11#5, %s11#6, %s11#7, %s11#8, %s11#9,
      %s11#10, %s11#11, %s11#12, %s11#13, %s11#14, %s11#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s13:16 = func.call @columns_at_1(%s12#0, %s12#1, %s12#2, %s12#3, %s12#4, %s12#5, %s12#6, %s12#7, %s12#8, %s12#9,
      %s12#10, %s12#11, %s12#12, %s12#13, %s12#14, %s12#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s14:16 = func.call @all_rows(%s13#0, %s13#1, %s13#2, %s13#3, %s13#4, %s13#5, %s13#6, %s13#7, %s13#8, %s13#9,
      %s13#10, %s13#11, %s13#12, %s13#13, %s13#14, %s13#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s15:16 = func.call @interleave_halves(%s14#0, %s14#1, %s14#2, %s14#3, %s14#4, %s14#5, %s14#6, %s14#7, %s14#8,
      %s14#9, %s14#10, %s14#11, %s14#12, %s14#13, %s14#14, %s14#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s16:16 = func.call @interleave_halves(%s15#0, %s15#1, %s15#2, %s15#3, %s15#4, %s15#5, %s15#6, %s15#7, %s15#8,
      %s15#9, %s15#10, %s15#11, %s15#12, %s15#13, %s15#14, %s15#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s17:16 = func.call @interleave_halves(%s16#0, %s16#1, %s16#2, %s16#3, %s16#4, %s16#5, %s16#6, %s16#7, %s16#8,
      %s16#9, %s16#10, %s16#11, %s16#12, %s16#13, %s16#14, %s16#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  %s18:16 = func.call @interleave_halves(%s17#0, %s17#1, %s17#2, %s17#3, %s17#4, %s17#5, %s17#6, %s17#7, %s17#8,
      %s17#9, %s17#10, %s17#11, %s17#12, %s17#13, %s17#14, %s17#15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  return %s18#0, %s18#1, %s18#2, %s18#3, %s18#4, %s18#5, %s18#6, %s18#7, %s18#8, %s18#9, %s18#10, %s18#11, %s18#12,
      %s18#13, %s18#14, %s18#15 : !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V
}

// Sorts %n elements, at most 256, from list[%begin] on.
func.func private @sort_block(%list: memref<?x!S>, %begin: index, %n: index) {
  %greatest = arith.constant dense<-1> : !V
  %c0 = arith.constant 0 : index
  %left0 = arith.subi %n, %c0 : index
  %mask0 = vector.create_mask %left0 : vector<16xi1>
  %at0 = arith.addi %begin, %c0 : index
  %r0 = vector.maskedload %list[%at0], %mask0, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c16 = arith.constant 16 : index
  %left1 = arith.subi %n, %c16 : index
  %mask1 = vector.create_mask %left1 : vector<16xi1>
  %at1 = arith.addi %begin, %c16 : index
  %r1 = vector.maskedload %list[%at1], %mask1, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c32 = arith.constant 32 : index
  %left2 = arith.subi %n, %c32 : index
  %mask2 = vector.create_mask %left2 : vector<16xi1>
  %at2 = arith.addi %begin, %c32 : index
  %r2 = vector.maskedload %list[%at2], %mask2, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c48 = arith.constant 48 : index
  %left3 = arith.subi %n, %c48 : index
  %mask3 = vector.create_mask %left3 : vector<16xi1>
  %at3 = arith.addi %begin, %c48 : index
  %r3 = vector.maskedload %list[%at3], %mask3, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c64 = arith.constant 64 : index
  %left4 = arith.subi %n, %c64 : index
  %mask4 = vector.create_mask %left4 : vector<16xi1>
  %at4 = arith.addi %begin, %c64 : index
  %r4 = vector.maskedload %list[%at4], %mask4, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c80 = arith.constant 80 : index
  %left5 = arith.subi %n, %c80 : index
  %mask5 = vector.create_mask %left5 : vector<16xi1>
  %at5 = arith.addi %begin, %c80 : index
  %r5 = vector.maskedload %list[%at5], %mask5, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c96 = arith.constant 96 : index
  %left6 = arith.subi %n, %c96 : index
  %mask6 = vector.create_mask %left6 : vector<16xi1>
  %at6 = arith.addi %begin, %c96 : index
  %r6 = vector.maskedload %list[%at6], %mask6, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c112 = arith.constant 112 : index
  %left7 = arith.subi %n, %c112 : index
  %mask7 = vector.create_mask %left7 : vector<16xi1>
  %at7 = arith.addi %begin, %c112 : index
  %r7 = vector.maskedload %list[%at7], %mask7, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c128 = arith.constant 128 : index
  %left8 = arith.subi %n, %c128 : index
  %mask8 = vector.create_mask %left8 : vector<16xi1>
  %at8 = arith.addi %begin, %c128 : index
  %r8 = vector.maskedload %list[%at8], %mask8, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c144 = arith.constant 144 : index
  %left9 = arith.subi %n, %c144 : index
  %mask9 = vector.create_mask %left9 : vector<16xi1>
  %at9 = arith.addi %begin, %c144 : index
  %r9 = vector.maskedload %list[%at9], %mask9, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c160 = arith.constant 160 : index
  %left10 = arith.subi %n, %c160 : index
  %mask10 = vector.create_mask %left10 : vector<16xi1>
  %at10 = arith.addi %begin, %c160 : index
  %r10 = vector.maskedload %list[%at10], %mask10, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c176 = arith.constant 176 : index
  %left11 = arith.subi %n, %c176 : index
  %mask11 = vector.create_mask %left11 : vector<16xi1>
  %at11 = arith.addi %begin, %c176 : index
  %r11 = vector.maskedload %list[%at11], %mask11, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c192 = arith.constant 192 : index
  %left12 = arith.subi %n, %c192 : index
  %mask12 = vector.create_mask %left12 : vector<16xi1>
  %at12 = arith.addi %begin, %c192 : index
  %r12 = vector.maskedload %list[%at12], %mask12, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c208 = arith.constant 208 : index
  %left13 = arith.subi %n, %c208 : index
  %mask13 = vector.create_mask %left13 : vector<16xi1>
  %at13 = arith.addi %begin, %c208 : index
  %r13 = vector.maskedload %list[%at13], %mask13, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c224 = arith.constant 224 : index
  %left14 = arith.subi %n, %c224 : index
  %mask14 = vector.create_mask %left14 : vector<16xi1>
  %at14 = arith.addi %begin, %c224 : index
  %r14 = vector.maskedload %list[%at14], %mask14, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %c240 = arith.constant 240 : index
  %left15 = arith.subi %n, %c240 : index
  %mask15 = vector.create_mask %left15 : vector<16xi1>
  %at15 = arith.addi %begin, %c240 : index
  %r15 = vector.maskedload %list[%at15], %mask15, %greatest : memref<?x!S>, vector<16xi1>, !V into !V
  %s:16 = func.call @sort_matrix(%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15)
      : (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
          -> (!V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V, !V)
  vector.maskedstore %list[%at0], %mask0, %s#0 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at1], %mask1, %s#1 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at2], %mask2, %s#2 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at3], %mask3, %s#3 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at4], %mask4, %s#4 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at5], %mask5, %s#5 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at6], %mask6, %s#6 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at7], %mask7, %s#7 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at8], %mask8, %s#8 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at9], %mask9, %s#9 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at10], %mask10, %s#10 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at11], %mask11, %s#11 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at12], %mask12, %s#12 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at13], %mask13, %s#13 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at14], %mask14, %s#14 : memref<?x!S>, vector<16xi1>, !V
  vector.maskedstore %list[%at15], %mask15, %s#15 : memref<?x!S>, vector<16xi1>, !V
  return
}

