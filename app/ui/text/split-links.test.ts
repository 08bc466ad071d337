import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLinks } from './split-links.ts'

const links = (text: string) => splitLinks(text).flatMap((part) => part.href ?? [])

test('a web address in a sentence becomes a link without the punctuation after it', () => {
  expect(splitLinks('See https://example.org/tides?port=north. Soon!')).toEqual([
    { text: 'See ' },
    { text: 'https://example.org/tides?port=north', href: 'https://example.org/tides?port=north' },
    { text: '. Soon!' },
  ])
})

test('a bracket that an address opens belongs to it; one around it does not', () => {
  const bird = 'https://en.example/wiki/Petrel_(bird)'
  expect(links(`${bird}, and (${bird}). Or [see ${bird}]!`)).toEqual([bird, bird, bird])
  expect(links('(https://a.example/x) {https://b.example/[1]}')).toEqual([
    'https://a.example/x',
    'https://b.example/[1]',
  ])
})

test('an address ends at Chinese and Japanese punctuation, which no space precedes', () => {
  expect(links('请看https://a.example/路，谢谢。「https://b.example」')).toEqual([
    'https://a.example/路',
    'https://b.example',
  ])
})

test('only http and https become links', () => {
  expect(links('javascript://x data://y file:///z https://a.example')).toEqual([
    'https://a.example',
  ])
})

test('the parts together are the text', () => {
  const piece = fc.oneof(fc.string(), fc.webUrl(), fc.constant('https://'), fc.constant(' '))
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('')
      const parts = splitLinks(text)
      expect(parts.map((part) => part.text).join('')).toBe(text)
      for (const { href } of parts) if (href) expect(href).toMatch(/^https?:\/\//i)
    }),
  )
})
