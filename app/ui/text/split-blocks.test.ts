import { expect, test } from 'vitest'
import { splitBlocks } from './split-blocks.ts'

/** The kinds, and the words of each. */
function read(text: string) {
  return splitBlocks(text).map((block) =>
    block.kind === 'list'
      ? [
          block.kind,
          ...block.items.map(({ text, number }) => (number ? `${number}:${text}` : text)),
        ]
      : [block.kind, block.text],
  )
}

test.each([
  ['hello\nthere', [['text', 'hello\nthere']]],
  [
    'see:\n```\nconst a = 1\n\nb()\n```\nok',
    [
      ['text', 'see:'],
      ['code', 'const a = 1\n\nb()'],
      ['text', 'ok'],
    ],
  ],
  ['```js\nlet a\n```', [['code', 'let a']]],
  ['```\nnever closed', [['text', '```\nnever closed']]],
  [
    '> one\n> two\nthree',
    [
      ['quote', 'one\ntwo'],
      ['text', 'three'],
    ],
  ],
  [
    'take:\n- rope\n- lamps\nthen go',
    [
      ['text', 'take:'],
      ['list', 'rope', 'lamps'],
      ['text', 'then go'],
    ],
  ],
  ['3. rope\n4. lamps', [['list', '3:rope', '4:lamps']]],
  ['- said he', [['text', '- said he']]],
  ['3. May is good', [['text', '3. May is good']]],
  ['a > b\n*bold*\n-5 degrees', [['text', 'a > b\n*bold*\n-5 degrees']]],
  ['', [['text', '']]],
])('%j', (text, expected) => {
  expect(read(text)).toEqual(expected)
})

test('each piece knows where its words stand in the whole', () => {
  const text = 'see\n> quoted\n- one\n- two\n```\ncode\n```'
  const pieces = splitBlocks(text).flatMap((block) =>
    block.kind === 'list' ? block.items : [block],
  )
  for (const piece of pieces) {
    expect(text.slice(piece.start, piece.start + piece.text.length)).toBe(piece.text)
  }
  expect(pieces.map((piece) => piece.text)).toEqual(['see', 'quoted', 'one', 'two', 'code'])
})

test('a long row of marks does not stop the page', () => {
  expect(splitBlocks('```\n'.repeat(20_000)).length).toBeGreaterThan(0)
})
