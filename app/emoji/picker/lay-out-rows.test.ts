import { expect, test } from 'vitest'
import type { EmojiSection } from '../catalogue/list-sections.ts'
import { layOutRows, stepThroughRows } from './lay-out-rows.ts'

const section = (id: EmojiSection['id'], count: number): EmojiSection => ({
  id,
  name: id,
  offered: Array.from({ length: count }, (_, n) => ({
    emoji: { id: `${id}${n}`, name: '', version: 1, skins: [] },
    skin: 0,
  })),
})
const rows = layOutRows([section('people', 5), section('flags', 2)], { columns: 3, cell: 40 })

test('rows follow each other without a gap, each section under its heading', () => {
  expect(rows.map(({ top, height, title, start }) => ({ top, height, title, start }))).toEqual([
    { top: 0, height: 32, title: 'people', start: 0 },
    { top: 32, height: 40, title: undefined, start: 0 },
    { top: 72, height: 40, title: undefined, start: 3 },
    { top: 112, height: 32, title: 'flags', start: 5 },
    { top: 144, height: 40, title: undefined, start: 5 },
  ])
})

test.each([
  ['ArrowRight', undefined, 0],
  ['ArrowRight', 4, 5],
  ['ArrowRight', 6, 6],
  ['ArrowLeft', 5, 4],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 1, 4],
  ['ArrowDown', 2, 4],
  ['ArrowDown', 4, 6],
  ['ArrowDown', 6, 6],
  ['ArrowUp', 6, 4],
  ['ArrowUp', 5, 3],
  ['ArrowUp', 1, 1],
])('%s leads from %s to %s, over headings', (key, from, to) => {
  expect(stepThroughRows(rows, from, key)).toBe(to)
})

test('no key moves in an empty list', () => {
  expect(stepThroughRows([], undefined, 'ArrowDown')).toBeUndefined()
})
