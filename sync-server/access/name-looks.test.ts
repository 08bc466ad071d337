import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { listLooks, looksVersion } from './claims.ts'

const isLike = (one: string, other: string) =>
  listLooks(one).some((look) => listLooks(other).includes(look))

describe('two names', () => {
  it.each([
    ['alice', '\u0430lice', 'a Cyrillic a'],
    ['Alice', '\u0410LICE', 'a Cyrillic A, all in capitals'],
    ['Alice', 'AIice', 'a capital i for the l'],
    ['alice', 'AIice', 'the same where the taken one is small'],
    ['ALICE', 'AIice', 'the same where the taken one is big'],
    ['Ali', 'A1i', 'a one for the l'],
    ['bob', 'b0b', 'a zero'],
    ['BOB', 'b\u043Eb', 'a Cyrillic o, the taken one in capitals'],
    ['mary', 'rnary', 'an r and an n for the m'],
    ['Mary', 'rnary', 'the same where the taken one has a capital'],
    ['istanbul', '\u0130stanbul', 'a dot on the capital I'],
    ['ann', 'a\u200Dnn', 'a joiner that nobody sees, in a name from before'],
    ['Nguyễn', 'Nguye\u0302\u0303n', 'marks apart'],
  ])('look alike: %s and %s, with %s', (one, other) => {
    expect(isLike(one, other)).toBe(true)
  })

  it.each([
    ['Ella', 'Elia'],
    ['Neil', 'Nell'],
    ['Ann', 'Anna'],
    ['Jose', 'José'],
    ['Мария', 'Марта'],
    ['李明', '李朋'],
    ['ann.lee', 'ann-lee'],
    ['Ann Lee', 'AnnLee'],
  ])('do not: %s and %s', (one, other) => {
    expect(isLike(one, other)).toBe(false)
  })
})

it('a newer table of look-alikes comes with a newer version, so that old accounts get new claims', () => {
  const table = createRequire(import.meta.url).resolve('unhomoglyph/data.json')
  const print = createHash('sha256').update(readFileSync(table, 'utf8')).digest('hex').slice(0, 12)
  expect({ looksVersion, print }).toEqual({ looksVersion: 1, print: '2fb1ef5aa83a' })
})
