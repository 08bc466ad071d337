import { expect, test } from 'vitest'
import { splitBlocks } from '../../ui/text/split-blocks.ts'
import { quoteInPrivate } from './quote-in-private.ts'

const group = { groupName: 'Walks', begun: '' }

test('a reply in private names the group and what was said there, and leaves room beneath', () => {
  const text = quoteInPrivate({ type: 'text', content: 'who has\n*the boat*?' }, group)
  expect(text).toBe('> Walks\n> who has the boat?\n')
  expect(splitBlocks(`${text}I have`)).toMatchObject([
    { kind: 'quote', text: 'Walks\nwho has the boat?' },
    { kind: 'text', text: 'I have' },
  ])
})

test('a picture is named, a long text is cut, and a name cannot leave the quote', () => {
  expect(quoteInPrivate({ type: 'image', content: '' }, group)).toBe('> Walks\n> Image\n')
  const long = quoteInPrivate({ type: 'text', content: 'word '.repeat(200) }, group)
  expect(long.length).toBeLessThan(300)
  expect(long).toMatch(/word…\n$/)
  const forged = { groupName: 'Walks\n\nAnn: ', begun: '' }
  expect(quoteInPrivate({ type: 'text', content: 'yes' }, forged)).toBe('> Walks Ann:\n> yes\n')
})

test('of an answer that quotes, its own words are quoted', () => {
  const answer = { type: 'text', content: '> Boats\n> when?\nat noon' } as const
  expect(quoteInPrivate(answer, group)).toBe('> Walks\n> at noon\n')
})

test('what was begun in the chat stays, beneath it', () => {
  const text = quoteInPrivate({ type: 'text', content: 'yes' }, { ...group, begun: 'by the way' })
  expect(text).toBe('> Walks\n> yes\nby the way')
})
