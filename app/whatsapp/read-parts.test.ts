import { expect, test } from 'vitest'
import {
  describeMissingFile,
  findMapLink,
  readContacts,
  readInteractive,
} from './message-extra.tsx'

test('buttons keep their order, with header and footer around the text', () => {
  const reply = (id: string, title: string) => ({ type: 'reply', reply: { id, title } })
  expect(
    readInteractive({
      type: 'button',
      header: { type: 'text', text: 'Your order' },
      body: { text: 'Change it?' },
      footer: { text: 'Lucky Shrub' },
      action: { buttons: [reply('btn_0', 'Change'), reply('btn_1', 'Cancel')] },
    }),
  ).toEqual({
    kind: 'buttons',
    header: 'Your order',
    footer: 'Lucky Shrub',
    titles: ['Change', 'Cancel'],
  })
})

test('a header that is a picture has no words', () => {
  expect(
    readInteractive({
      type: 'button',
      header: { type: 'image', image: { id: '1' } },
      action: { buttons: [] },
    }),
  ).toEqual({ kind: 'buttons', titles: [] })
})

test('a list has its button and its sections', () => {
  expect(
    readInteractive({
      type: 'list',
      body: { text: 'How fast?' },
      action: {
        button: 'Options',
        sections: [
          { title: 'Fast', rows: [{ id: 'r1', title: 'Express', description: 'Next day' }] },
          { rows: [{ id: 'r2', title: 'Post' }] },
        ],
      },
    }),
  ).toEqual({
    kind: 'list',
    button: 'Options',
    sections: [
      { title: 'Fast', rows: [{ title: 'Express', description: 'Next day' }] },
      { rows: [{ title: 'Post' }] },
    ],
  })
})

test('a choice keeps the description under its title', () => {
  expect(
    readInteractive({
      type: 'list_reply',
      list_reply: { id: 'r1', title: 'Express', description: 'Next day' },
    }),
  ).toEqual({ kind: 'choice', description: 'Next day' })
  expect(
    readInteractive({ type: 'button_reply', button_reply: { id: 'btn_0', title: 'Change' } }),
  ).toEqual({ kind: 'choice' })
})

test.each([undefined, null, 'text', { type: 'flow' }, { type: 'button' }, { type: 'list' }])(
  '%o draws nothing, and breaks nothing',
  (field) => {
    expect(readInteractive(field)).toBeUndefined()
    expect(findMapLink(field)).toBeUndefined()
    expect(readContacts(field)).toEqual([])
  },
)

test('a place links to a map, whether its degrees are numbers or text', () => {
  const link = 'https://www.openstreetmap.org/?mlat=52.5&mlon=-13.25#map=16/52.5/-13.25'
  expect(findMapLink({ latitude: 52.5, longitude: -13.25, name: 'Harbour' })).toBe(link)
  expect(findMapLink({ latitude: '52.5', longitude: '-13.25' })).toBe(link)
})

test.each([
  { latitude: 91, longitude: 0 },
  { latitude: '1" onload="', longitude: 0 },
  { latitude: Number.NaN, longitude: 0 },
])('%o is no place', (field) => {
  expect(findMapLink(field)).toBeUndefined()
})

test('contacts keep name, company, numbers and addresses; skips a broken one', () => {
  expect(
    readContacts([
      {
        name: { formatted_name: 'Dora Keel', first_name: 'Dora' },
        org: { company: 'Keel & Sons' },
        phones: [{ phone: '+1 650 555 1234', type: 'WORK' }, { wa_id: '16505551235' }],
        emails: [{ email: 'dora@example.org' }],
      },
      { phones: [] },
      { name: { formatted_name: 'Emil' }, phones: 'none' },
    ]),
  ).toEqual([
    {
      name: 'Dora Keel',
      company: 'Keel & Sons',
      phones: ['+1 650 555 1234', '+16505551235'],
      emails: ['dora@example.org'],
    },
    { name: 'Emil', phones: [], emails: [] },
  ])
})

test.each([
  [{ media: { state: 'pending' as const } }, 'The file is on its way.'],
  [{ media: { state: 'failed' as const } }, "The file couldn't be fetched from WhatsApp."],
  [
    { media: { state: 'failed' as const }, error: 'The file is too large.' },
    'The file is too large.',
  ],
  [{ media: { state: 'ready' as const } }, undefined],
  [{}, undefined],
])('of a file %o it is said: %s', (message, words) => {
  expect(describeMissingFile(message)).toBe(words)
})
