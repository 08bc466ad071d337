import { describe, expect, test } from 'vitest'
import { whatsAppLimits as limits } from '../../../schema/whatsapp-limits.ts'
import { validateMessage } from './validate-message.ts'

const letters = (count: number) => 'a'.repeat(count)
const many = <Thing>(count: number, make: (index: number) => Thing) =>
  Array.from({ length: count }, (_, index) => make(index))

const link = 'https://example.org/a'
const button = (index: number, more = {}) => ({
  type: 'reply',
  reply: { id: `b${index}`, title: `Button ${index}`, ...more },
})
const buttons = (more = {}) => ({
  type: 'button',
  body: { text: 'Well?' },
  action: { buttons: [button(0)] },
  ...more,
})
const row = (index: number, more = {}) => ({ id: `r${index}`, title: `Row ${index}`, ...more })
const section = (rows: unknown[], more = {}) => ({ title: 'Section', rows, ...more })
const list = (sections: unknown[], more = {}) => ({
  type: 'list',
  body: { text: 'Pick' },
  action: { button: 'Options', sections },
  ...more,
})
const listButton = (text: string) => ({
  ...list([section([row(0)])]),
  action: { button: text, sections: [section([row(0)])] },
})
const template = (more = {}) => ({ name: 'hello', language: { code: 'en' }, ...more })
const bodyOf = (text: string) => ({
  components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
})

/** Each at its limit, and one above. */
const edges: [string, string, number, (size: number) => unknown, RegExp][] = [
  ['a text', 'text', limits.textMax, (n) => letters(n), /The text must have 1 to 4096 characters/],
  ['a caption', 'image', limits.captionMax, (n) => ({ link, caption: letters(n) }), /A caption/],
  [
    'a file name',
    'document',
    limits.filenameMax,
    (n) => ({ link, filename: letters(n) }),
    /file name/,
  ],
  [
    'contacts',
    'contacts',
    limits.contactsMax,
    (n) => many(n, () => ({ name: { formatted_name: 'Ben' } })),
    /1 to 257 contacts/,
  ],
  [
    'the text over buttons',
    'interactive',
    limits.interactiveBodyMax,
    (n) => buttons({ body: { text: letters(n) } }),
    /The text must have 1 to 1024/,
  ],
  [
    'the text over a list',
    'interactive',
    limits.interactiveBodyMax,
    (n) => list([section([row(0)])], { body: { text: letters(n) } }),
    /The text must have 1 to 1024/,
  ],
  [
    'a header',
    'interactive',
    limits.headerMax,
    (n) => buttons({ header: { type: 'text', text: letters(n) } }),
    /The header must have 1 to 60/,
  ],
  [
    'a footer',
    'interactive',
    limits.footerMax,
    (n) => buttons({ footer: { text: letters(n) } }),
    /The footer must have 1 to 60/,
  ],
  [
    'buttons',
    'interactive',
    limits.buttonsMax,
    (n) => buttons({ action: { buttons: many(n, (index) => button(index)) } }),
    /1 to 3 buttons/,
  ],
  [
    'the title of a button',
    'interactive',
    limits.buttonTitleMax,
    (n) => buttons({ action: { buttons: [button(0, { title: letters(n) })] } }),
    /The title of a button must have 1 to 20/,
  ],
  [
    'the id of a button',
    'interactive',
    limits.buttonIdMax,
    (n) => buttons({ action: { buttons: [button(0, { id: letters(n) })] } }),
    /The id of a button must have 1 to 256/,
  ],
  [
    'the button of a list',
    'interactive',
    limits.listButtonMax,
    (n) => listButton(letters(n)),
    /The button of a list must have 1 to 20/,
  ],
  [
    'sections',
    'interactive',
    limits.sectionsMax,
    (n) => list(many(n, (index) => section([row(index)]))),
    /1 to 10 (sections|rows)/,
  ],
  [
    'rows over all sections',
    'interactive',
    limits.rowsMax,
    (n) => list([section(many(n - 1, (index) => row(index))), section([row(99)])]),
    /1 to 10 rows, over all its sections/,
  ],
  [
    'the title of a section',
    'interactive',
    limits.sectionTitleMax,
    (n) => list([section([row(0)], { title: letters(n) })]),
    /The title of a section/,
  ],
  [
    'the title of a row',
    'interactive',
    limits.rowTitleMax,
    (n) => list([section([row(0, { title: letters(n) })])]),
    /The title of a row/,
  ],
  [
    'the id of a row',
    'interactive',
    limits.rowIdMax,
    (n) => list([section([row(0, { id: letters(n) })])]),
    /The id of a row/,
  ],
  [
    'the description of a row',
    'interactive',
    limits.rowDescriptionMax,
    (n) => list([section([row(0, { description: letters(n) })])]),
    /The description of a row/,
  ],
  [
    'the name of a template',
    'template',
    limits.templateNameMax,
    (n) => template({ name: letters(n) }),
    /The name of a template/,
  ],
  [
    'a value of a template',
    'template',
    limits.templateParameterMax,
    (n) => template(bodyOf(letters(n))),
    /A value of a template/,
  ],
]

describe('at its limit and one above', () => {
  test.each(edges)('%s', (_what, type, most, make, words) => {
    expect(validateMessage(type, make(most))).toHaveProperty('message')
    expect(validateMessage(type, make(most + 1))).toEqual({ refusal: expect.stringMatching(words) })
  })
})

describe('is refused with words', () => {
  test.each<[string, string, unknown, RegExp]>([
    ['an empty text', 'text', '', /^The text must have 1 to 4096 characters\.$/],
    ['no text', 'text', {}, /The text/],
    ['a type of tomorrow', 'hologram', {}, /cannot be sent/],
    ['a type that is a word of the language', 'constructor', {}, /cannot be sent/],
    ['a file from nowhere', 'image', {}, /either an id or a link/],
    ['a file from two places', 'image', { id: '1', link }, /either an id or a link/],
    ['a link without encryption', 'image', { link: 'http://example.org/a' }, /https/],
    [
      'a place off the map',
      'location',
      { latitude: 91, longitude: 0 },
      /latitude must be a number from -90 to 90/,
    ],
    [
      'two buttons of one title',
      'interactive',
      buttons({ action: { buttons: [button(0), button(1, { title: 'Button 0' })] } }),
      /same title/,
    ],
    [
      'two buttons of one id',
      'interactive',
      buttons({ action: { buttons: [button(0), button(1, { id: 'b0' })] } }),
      /same id/,
    ],
    [
      'an id with blanks around it',
      'interactive',
      buttons({ action: { buttons: [button(0, { id: ' a' })] } }),
      /blanks/,
    ],
    [
      'a picture over a list',
      'interactive',
      list([section([row(0)])], { header: { type: 'image', image: { link } } }),
      /header of a list must be a text/,
    ],
    [
      'sections without titles',
      'interactive',
      list([section([row(0)], { title: undefined }), section([row(1)])]),
      /needs a title/,
    ],
    ['two rows of one id', 'interactive', list([section([row(0), row(0)])]), /same id/],
    [
      'an interactive message of another kind',
      'interactive',
      { type: 'flow' },
      /buttons or with a list/,
    ],
    ['a template in large letters', 'template', template({ name: 'Hello' }), /small letters/],
    ['a value of two lines', 'template', template(bodyOf('a\nb')), /one line/],
    ['a contact without a name', 'contacts', [{}], /needs a name/],
    ['a reaction to nothing', 'reaction', { emoji: '👍' }, /message/],
    ['nothing', 'interactive', null, /.+/],
  ])('%s', (_what, type, content, words) => {
    expect(validateMessage(type, content)).toEqual({ refusal: expect.stringMatching(words) })
  })
})
