import { describe, expect, it } from 'vitest'
import { defaultAbout } from './limits.ts'
import { profileName, readAbout, username } from './user.ts'

describe('a username', () => {
  it.each([
    ['Al', 'two letters'],
    ['李明', 'two letters of Chinese'],
    ['אב', 'of Hebrew'],
    ['𞤀𞤁', 'of Adlam, beyond the first 65,536 characters'],
    ['ดี', 'a letter and a vowel of Thai'],
    ['श्री', 'of Devanagari, joined'],
    ['سَلْمَى', 'of Arabic, with vowels'],
    ['ကျွှို့', 'of Burmese, with six marks'],
    ['བསྒྲུབས', 'of Tibetan, stacked'],
    ['Nguyễn Thị', 'two words'],
    ['Jean-Luc P. 2_b', 'digits and signs'],
    ['٠١', 'digits of Arabic'],
    ['x'.repeat(30), 'thirty letters'],
    ['𞤀'.repeat(30), 'thirty letters of Adlam'],
  ])('may be %s: %s', (name) => {
    expect(username.parse(name)).toBe(name)
  })

  it.each([
    ['  Ann \t  Lee ', 'Ann Lee', 'space is single, and inside'],
    ['Ａｎｎ', 'Ann', 'full width is the plain letter'],
    ['Ange\u0301lique', 'Ang\u00e9lique', 'marks are joined where Unicode joins them'],
  ])('%j is taken as %j: %s', (given, name) => {
    expect(username.parse(given)).toBe(name)
  })

  it.each([
    ['alice\uFE0F', 'a variation selector'],
    ['a\u034Flice', 'a grapheme joiner'],
    ['\u3164\u3164', 'Hangul fillers alone'],
    ['\u115F\u1160', 'Hangul jamo fillers'],
    ['\uFFA0\uFFA0', 'half-width fillers'],
    ['al\u200Bice', 'a zero-width space'],
    ['al\u200Dice', 'a zero-width joiner'],
    ['\uFEFFalice', 'a byte order mark'],
    ['al\u00ADice', 'a soft hyphen'],
    ['\u202Ealice', 'a change of direction'],
    ['alice\u{E0061}', 'a tag'],
    ['\u17B4\u17B5', 'vowels of Khmer that draw nothing'],
    ['\u{13441}\u{13442}', 'blanks of Egyptian'],
  ])('is refused in words for what cannot be seen: %j has %s', (name) => {
    expect(explain(username, name)).toBe(
      'Username has a character that cannot be seen. Please type it without it.',
    )
    expect(explain(profileName, name)).toMatch(/^Name has a character that cannot be seen/)
  })

  it.each([
    ['', 'Username is required'],
    ['   ', 'Username is required'],
    ['a', 'Username must be at least 2 characters'],
    ['𞤀', 'Username must be at least 2 characters'],
    ['x'.repeat(31), 'Username must be at most 30 characters'],
    ['..', 'Username needs a letter or a digit'],
    ['123-456-7890', 'Username must not be a phone number'],
    ["O'Brien", /^Username may only have letters, digits, single spaces and the signs _ \. -$/],
    ['ann@lee', /^Username may only have/],
    ['ann😀', /^Username may only have/],
    ['\u0301\u0301', /^Username may only have/],
    [`z${'\u0317'.repeat(7)}`, /^Username may only have/],
    ['a\u20DDb', /^Username may only have/],
    ['an\uD800n', /^Username may only have/],
    ['\u2800\u2800', /^Username may only have/],
  ])('is refused in words: %j', (name, words) => {
    expect(explain(username, name)).toMatch(words)
  })
})

describe('a name in the profile', () => {
  it('may be longer, and have apostrophes', () => {
    expect(profileName.parse("O'Brien")).toBe("O'Brien")
    expect(profileName.parse('x'.repeat(50))).toBe('x'.repeat(50))
    expect(explain(profileName, 'x'.repeat(51))).toBe('Name must be at most 50 characters')
    expect(explain(profileName, 'x')).toBe('Name must be at least 2 characters')
  })
})

/** The first objection to a name; empty when the name is valid. */
function explain(rule: typeof username, name: string): string {
  const checked = rule.safeParse(name)
  return checked.success ? '' : (checked.error.issues[0]?.message ?? '')
}

it('gives an About that its person wrote, and none that nobody wrote', () => {
  expect(readAbout({ status: 'On the water' })).toBe('On the water')
  expect(readAbout({ status: defaultAbout })).toBe('')
})
