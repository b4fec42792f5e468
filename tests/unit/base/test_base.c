/* test_base.c - src/base against what its header promises; the maps also against an array of what must be in them. */
#include "base/base.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"

/* ---- checked sizes ---- */

static void checked_sizes(void **state) {
  size_t n;
  int64_t i;
  assert_true(nr_mul_size(SIZE_MAX / 2, 2, &n));
  assert_int_equal(n, SIZE_MAX - 1);
  assert_false(nr_mul_size(SIZE_MAX / 2 + 1, 2, &n));
  assert_true(nr_mul_size(0, SIZE_MAX, &n));
  assert_int_equal(n, 0);
  assert_true(nr_add_size(SIZE_MAX, 0, &n));
  assert_false(nr_add_size(SIZE_MAX, 1, &n));
  assert_true(nr_mul_i64(INT64_MIN, 1, &i));
  assert_false(nr_mul_i64(INT64_MIN, -1, &i));
  assert_false(nr_add_i64(INT64_MAX, 1, &i));
  assert_true(nr_add_i64(INT64_MAX, INT64_MIN, &i));
  assert_int_equal(i, -1);
  assert_false(nr_sub_i64(INT64_MIN, 1, &i));
}

/* ---- arenas ---- */

static void arena_blocks_are_zeroed_aligned_and_apart(void **state) {
  NrArena arena;
  nr_arena_init(&arena);
  enum { COUNT = 3000 };
  unsigned char *block[COUNT];
  size_t size[COUNT];
  uint64_t seed = 1;
  for (int i = 0; i < COUNT; i++) {
    uint64_t r = test_random(&seed);
    size[i] = i % 500 == 499 ? 100000 + r % 100000 : r % 200;
    block[i] = nr_arena_alloc(&arena, size[i]);
    assert_int_equal((uintptr_t)block[i] % (size[i] % 16 == 0 ? 16 : 8), 0);
    for (size_t j = 0; j < size[i]; j++) assert_int_equal(block[i][j], 0);
    memset(block[i], i & 0xff, size[i]);
  }
  for (int i = 0; i < COUNT; i++)
    for (size_t j = 0; j < size[i]; j++) assert_int_equal(block[i][j], i & 0xff);
  assert_true(arena.total > 0);
  nr_arena_deinit(&arena);
  assert_null(arena.chunk);
  assert_int_equal(arena.total, 0);
}

static void arena_copies(void **state) {
  NrArena arena;
  nr_arena_init(&arena);
  char source[] = "water";
  char *copy = nr_arena_copy(&arena, source, sizeof source);
  NrStr view = nr_str_copy(&arena, (NrStr){source, 3});
  const char *text = nr_arena_printf(&arena, "%s wheel %d", source, 7);
  NrStr empty = nr_str_copy(&arena, (NrStr){0});
  memset(source, 'x', sizeof source);
  assert_string_equal(copy, "water");
  assert_int_equal(view.size, 3);
  assert_string_equal(view.data, "wat");
  assert_string_equal(text, "water wheel 7");
  assert_string_equal(empty.data, "");
  assert_non_null(nr_arena_copy(&arena, NULL, 0));
  int64_t *numbers = NR_NEW_ARRAY(&arena, int64_t, 1000);
  for (int i = 0; i < 1000; i++) assert_int_equal(numbers[i], 0);
  nr_arena_deinit(&arena);
}

/* ---- strings ---- */

static void string_views(void **state) {
  assert_true(nr_str_eq(NR_STR("a\0b"), (NrStr){"a\0b", 3}));
  assert_false(nr_str_eq(NR_STR("a\0b"), NR_STR("a\0c")));
  assert_true(nr_str_eq((NrStr){0}, nr_str(NULL)));
  assert_true(nr_str_is(NR_STR("loop"), "loop"));
  assert_false(nr_str_is(NR_STR("loop"), "loo"));
  assert_true(nr_str_starts(NR_STR("scf.for"), "scf."));
  assert_false(nr_str_starts(NR_STR("scf"), "scf."));
  assert_true(nr_str_starts((NrStr){0}, ""));
  assert_true(nr_str_cmp(NR_STR("a"), NR_STR("b")) < 0);
  assert_true(nr_str_cmp(NR_STR("ab"), NR_STR("a")) > 0);
  assert_true(nr_str_cmp(NR_STR("\xff"), NR_STR("a")) > 0);
  assert_int_equal(nr_str_cmp((NrStr){0}, NR_STR("")), 0);
}

static void edit_distances(void **state) {
  assert_int_equal(nr_edit_distance(NR_STR("kitten"), NR_STR("sitting"), 9), 3);
  assert_int_equal(nr_edit_distance(NR_STR(""), NR_STR("abc"), 9), 3);
  assert_int_equal(nr_edit_distance(NR_STR("addf"), NR_STR("addf"), 2), 0);
  assert_int_equal(nr_edit_distance(NR_STR("addf"), NR_STR("adff"), 2), 1);
  assert_int_equal(nr_edit_distance(NR_STR("abcdef"), NR_STR("uvwxyz"), 2), 3);
  assert_int_equal(nr_edit_distance(NR_STR("a"), NR_STR("abcdef"), 2), 3);
  char *longest = nr_calloc(1, 100000);
  assert_int_equal(nr_edit_distance((NrStr){longest, 100000}, (NrStr){longest, 100000}, 2), 3);
  nr_free(longest);
}

static void hashes_differ(void **state) {
  /* All strings of up to two bytes, and one long string with each byte changed: no two alike. */
  NrMap seen = {0};
  char one[2], text[100];
  for (int i = 0; i < 256; i++) {
    one[0] = (char)i;
    uint64_t h = nr_hash_bytes(one, 1);
    assert_false(nr_map_has(&seen, (void *)(uintptr_t)h));
    nr_map_set(&seen, (void *)(uintptr_t)h, one);
    for (int j = 0; j < 256; j++) {
      one[1] = (char)j;
      h = nr_hash_bytes(one, 2);
      assert_false(nr_map_has(&seen, (void *)(uintptr_t)h));
      nr_map_set(&seen, (void *)(uintptr_t)h, one);
    }
  }
  for (size_t i = 0; i < sizeof text; i++) {
    memset(text, 0, sizeof text);
    text[i] = 1;
    uint64_t h = nr_hash_bytes(text, sizeof text);
    assert_false(nr_map_has(&seen, (void *)(uintptr_t)h));
    nr_map_set(&seen, (void *)(uintptr_t)h, text);
  }
  nr_map_deinit(&seen);
}

static void buffers_grow_and_end_with_nul(void **state) {
  NrBuf buf = {0};
  nr_buf_puts(&buf, "");
  assert_string_equal(buf.data, "");
  for (int i = 0; i < 1000; i++) {
    nr_buf_printf(&buf, "%d", i % 10);
    assert_int_equal(buf.size, (size_t)i + 1);
    assert_int_equal(buf.data[buf.size], 0);
  }
  for (int i = 0; i < 1000; i++) assert_int_equal(buf.data[i], '0' + i % 10);
  nr_buf_deinit(&buf);
  assert_null(buf.data);

  nr_buf_putc(&buf, '<');
  nr_buf_str(&buf, NR_STR("a\0b"));
  nr_buf_append(&buf, NULL, 0);
  nr_buf_printf(&buf, ">%*d", 300, 5);
  assert_int_equal(buf.size, 5 + 300);
  assert_memory_equal(buf.data, "<a\0b>", 5);
  assert_int_equal(buf.data[304], '5');
  nr_buf_deinit(&buf);
}

static void vectors_grow(void **state) {
  NR_VEC(int) numbers = {0};
  for (int i = 0; i < 10000; i++) nr_vec_push(&numbers, i * 3);
  for (int i = 0; i < 10000; i++) assert_int_equal(numbers.data[i], i * 3);
  assert_int_equal(nr_vec_last(&numbers), 9999 * 3);
  assert_int_equal(nr_vec_pop(&numbers), 9999 * 3);
  assert_int_equal(numbers.size, 9999);
  nr_vec_reserve(&numbers, 50000);
  assert_true(numbers.capacity >= 50000);
  int *where = numbers.data;
  while (numbers.size < 50000) nr_vec_push(&numbers, 0);
  assert_ptr_equal(numbers.data, where);
  nr_vec_deinit(&numbers);
  assert_int_equal(numbers.capacity, 0);
}

/* ---- maps: long random runs against an array indexed by the key ---- */

enum { KEYS = 700, STEPS = 200000 };

/* The stride of the keys decides where they fall; 1 << 12 is a page, 8 the arena's alignment. */
static void check_map(size_t stride, uint64_t seed) {
  NrMap map = {0};
  void *model[KEYS] = {0};
  bool present[KEYS] = {0};
  size_t size = 0;
  assert_null(nr_map_get(&map, (void *)stride));
  assert_false(nr_map_remove(&map, (void *)stride));
  for (int step = 0; step < STEPS; step++) {
    uint64_t r = test_random(&seed);
    size_t k = (size_t)(r % KEYS);
    const void *key = (void *)((k + 1) * stride);
    /* The map fills and drains in turns, so that growth, long runs and emptiness all come by. */
    unsigned add_of_16 = step / 20000 % 2 ? 5 : 10;
    if (step % 50000 == 49999) {
      nr_map_clear(&map);
      memset(present, 0, sizeof present);
      size = 0;
    } else if ((r >> 32) % 16 < add_of_16) {
      model[k] = (void *)(uintptr_t)(r >> 40); /* NULL is a value too */
      nr_map_set(&map, key, model[k]);
      size += !present[k];
      present[k] = true;
    } else {
      assert_int_equal(nr_map_remove(&map, key), present[k]);
      size -= present[k];
      present[k] = false;
    }
    assert_int_equal(map.size, size);
    size_t probe = (size_t)(test_random(&seed) % KEYS);
    const void *probe_key = (void *)((probe + 1) * stride);
    assert_int_equal(nr_map_has(&map, probe_key), present[probe]);
    assert_ptr_equal(nr_map_get(&map, probe_key), present[probe] ? model[probe] : NULL);
    if (step % 10000 == 0)
      for (size_t i = 0; i < KEYS; i++)
        assert_ptr_equal(nr_map_get(&map, (void *)((i + 1) * stride)), present[i] ? model[i] : NULL);
  }
  nr_map_deinit(&map);
  assert_int_equal(map.size, 0);
}

static void map_follows_the_model(void **state) {
  check_map(1, 11);
  check_map(8, 15);
  check_map(16, 12);
  check_map(4096, 13);
  check_map((size_t)1 << 40, 14);
}

static void strmap_follows_the_model(void **state) {
  static char names[KEYS][24];
  for (int i = 0; i < KEYS; i++) snprintf(names[i], sizeof names[i], i % 2 ? "%%%d" : "a.longer.name.%d", i);
  NrStrMap map = {0};
  void *model[KEYS] = {0};
  bool present[KEYS] = {0};
  size_t size = 0;
  uint64_t seed = 21;
  assert_null(nr_strmap_get(&map, NR_STR("")));
  for (int step = 0; step < STEPS; step++) {
    uint64_t r = test_random(&seed);
    size_t k = (size_t)(r % KEYS);
    unsigned add_of_16 = step / 20000 % 2 ? 5 : 10;
    if (step % 50000 == 49999) {
      nr_strmap_clear(&map);
      memset(present, 0, sizeof present);
      size = 0;
    } else if ((r >> 32) % 16 < add_of_16) {
      model[k] = (void *)(uintptr_t)(r >> 40);
      nr_strmap_set(&map, nr_str(names[k]), model[k]);
      size += !present[k];
      present[k] = true;
    } else {
      assert_int_equal(nr_strmap_remove(&map, nr_str(names[k])), present[k]);
      size -= present[k];
      present[k] = false;
    }
    assert_int_equal(map.size, size);
    /* Another copy of the bytes finds the key just as well. */
    char copy[24];
    size_t probe = (size_t)(test_random(&seed) % KEYS);
    memcpy(copy, names[probe], sizeof copy);
    assert_int_equal(nr_strmap_has(&map, nr_str(copy)), present[probe]);
    assert_ptr_equal(nr_strmap_get(&map, nr_str(copy)), present[probe] ? model[probe] : NULL);
  }
  /* The empty string is a key like any other. */
  nr_strmap_set(&map, NR_STR(""), names);
  assert_ptr_equal(nr_strmap_get(&map, (NrStr){0}), names);
  assert_true(nr_strmap_remove(&map, NR_STR("")));
  assert_false(nr_strmap_has(&map, NR_STR("")));
  nr_strmap_deinit(&map);
}

/* ---- files ---- */

/* What is no file, a device or a pipe, is written to and stays what it is. */
static void pipes_stay_pipes(void **state) {
  char folder[] = "noria-base-XXXXXX", got = 0;
  assert_non_null(mkdtemp(folder));
  NrBuf path = {0};
  nr_buf_printf(&path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path.data, 0600), 0);
  int pipe = open(path.data, O_RDWR | O_NONBLOCK);
  assert_true(pipe >= 0);
  assert_int_equal(nr_file_write(path.data, "x", 1), NR_OK);
  struct stat about;
  assert_int_equal(stat(path.data, &about), 0);
  assert_true(S_ISFIFO(about.st_mode));
  assert_int_equal(read(pipe, &got, 1), 1);
  assert_int_equal(got, 'x');
  close(pipe);
  assert_int_equal(remove(path.data), 0);
  assert_int_equal(rmdir(folder), 0);
  nr_buf_deinit(&path);
}

static void files_come_back_as_written(void **state) {
  char folder[] = "noria-base-XXXXXX";
  assert_non_null(mkdtemp(folder));
  NrBuf path = {0}, back = {0};
  nr_buf_printf(&path, "%s/data", folder);
  size_t size = 200000;
  unsigned char *data = nr_malloc(size);
  uint64_t seed = 31;
  for (size_t i = 0; i < size; i++) data[i] = (unsigned char)test_random(&seed);

  assert_int_equal(nr_file_write(path.data, data, size), NR_OK);
  assert_int_equal(nr_file_read(path.data, &back), NR_OK);
  assert_int_equal(back.size, size);
  assert_memory_equal(back.data, data, size);
  nr_buf_deinit(&back);

  assert_int_equal(nr_file_write(path.data, "", 0), NR_OK);
  assert_int_equal(nr_file_read(path.data, &back), NR_OK);
  assert_int_equal(back.size, 0);
  assert_string_equal(back.data, "");
  nr_buf_deinit(&back);

  assert_int_equal(remove(path.data), 0);
  assert_int_equal(nr_file_read(path.data, &back), NR_ERROR_NOT_FOUND);
  nr_buf_puts(&path, "/missing/folder");
  assert_int_equal(nr_file_write(path.data, "x", 1), NR_ERROR_IO);
  assert_int_equal(nr_file_read(folder, &back), NR_ERROR_IO); /* a folder opens, but has no bytes */
  assert_int_equal(rmdir(folder), 0);
  nr_buf_deinit(&back);
  nr_buf_deinit(&path);
  nr_free(data);
}

static void clock_moves_forward(void **state) {
  int64_t before = nr_now_ns();
  usleep(1000);
  assert_true(nr_now_ns() - before >= 1000000);
}

/* Lines and columns are what locations hash: many neighbours, few columns. Linear probing must find a place soon. */
static void hash_mix_spreads_neighbours(void **state) {
  enum { SLOTS = 1 << 17, LINES = 12000, COLUMNS = 8 };
  bool *used = nr_calloc(SLOTS, sizeof *used);
  size_t probes = 0;
  for (uint64_t line = 1; line <= LINES; line++)
    for (uint64_t column = 1; column <= COLUMNS; column++) {
      uint64_t slot = nr_hash_mix(0x5000, line << 32 | column * 5);
      for (probes++; used[slot % SLOTS]; slot++) probes++;
      used[slot % SLOTS] = true;
    }
  nr_free(used);
  assert_true(probes < 4 * LINES * COLUMNS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hash_mix_spreads_neighbours),
      cmocka_unit_test(checked_sizes),
      cmocka_unit_test(arena_blocks_are_zeroed_aligned_and_apart),
      cmocka_unit_test(arena_copies),
      cmocka_unit_test(string_views),
      cmocka_unit_test(edit_distances),
      cmocka_unit_test(hashes_differ),
      cmocka_unit_test(buffers_grow_and_end_with_nul),
      cmocka_unit_test(vectors_grow),
      cmocka_unit_test(map_follows_the_model),
      cmocka_unit_test(strmap_follows_the_model),
      cmocka_unit_test(files_come_back_as_written),
      cmocka_unit_test(pipes_stay_pipes),
      cmocka_unit_test(clock_moves_forward),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
