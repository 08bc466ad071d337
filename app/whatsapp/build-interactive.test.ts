import { expect, test } from 'vitest'
import { interactivePayload } from '../../schema/whatsapp-payload.ts'
import { validateMessage } from '../../sync-server/whatsapp/content/validate-message.ts'
import { type Built, buildButtons, buildList } from './build-interactive.ts'

const noFrame = { header: '', footer: ' ' }
const row = (title: string, description = '') => ({ title, description })

function readInteractive(built: Built): unknown {
  return 'outgoing' in built ? built.outgoing.business.interactive : built.problem
}

test('numbers the buttons’ ids, and skips buttons without text', () => {
  const built = buildButtons({ ...noFrame, text: ' Tea? ', titles: ['Yes ', '', 'No'] })
  expect(built).toMatchObject({ outgoing: { content: 'Tea?', business: { type: 'interactive' } } })
  expect(readInteractive(built)).toEqual({
    type: 'button',
    body: { text: 'Tea?' },
    action: {
      buttons: [
        { type: 'reply', reply: { id: 'btn_0', title: 'Yes' } },
        { type: 'reply', reply: { id: 'btn_1', title: 'No' } },
      ],
    },
  })
})

test('numbers a list’s rows across all sections', () => {
  const built = buildList({
    ...noFrame,
    text: 'How fast?',
    button: 'Options',
    sections: [
      { title: 'Fast', rows: [row('Express', 'Next day'), row('')] },
      { title: '', rows: [row(' ')] },
      { title: 'Slow', rows: [row('Post')] },
    ],
  })
  expect(readInteractive(built)).toEqual({
    type: 'list',
    body: { text: 'How fast?' },
    action: {
      button: 'Options',
      sections: [
        { title: 'Fast', rows: [{ id: 'row_1', title: 'Express', description: 'Next day' }] },
        { title: 'Slow', rows: [{ id: 'row_2', title: 'Post' }] },
      ],
    },
  })
})

test('builds what the server accepts', () => {
  const frame = { header: ' Drinks', footer: 'Until noon ' }
  const buttons = buildButtons({ ...frame, text: 'Tea?', titles: ['Yes'] })
  const sections = [{ title: '', rows: [row('Express')] }]
  const list = buildList({ ...frame, text: 'How?', button: 'See', sections })
  for (const built of [buttons, list]) {
    const interactive = readInteractive(built)
    expect(interactivePayload.safeParse(interactive).success).toBe(true)
    expect(validateMessage('interactive', interactive)).toMatchObject({
      message: {
        content: { header: { type: 'text', text: 'Drinks' }, footer: { text: 'Until noon' } },
      },
    })
  }
})

test.each([
  [{ text: ' ', titles: ['Yes'] }, 'Write the text that stands above it.'],
  [{ text: 'Tea?', titles: [' '] }, 'Give at least one button its words.'],
  [{ text: 'Tea?', titles: ['Yes', 'Yes '] }, 'Two buttons say the same. Change one of them.'],
])('%o: %s', (form, problem) => {
  expect(buildButtons({ ...noFrame, ...form })).toEqual({ problem })
})

test.each([
  [{ text: '' }, 'Write the text that stands above it.'],
  [{ button: '' }, 'Write what the button says that opens the list.'],
  [{ sections: [] }, 'Give at least one choice its words.'],
  [
    {
      sections: [
        { title: 'A', rows: [row('1')] },
        { title: '', rows: [row('2')] },
      ],
    },
    'Give each section a title.',
  ],
])('a list with %o: %s', (change, problem) => {
  const sections = [{ title: '', rows: [row('Express')] }]
  expect(buildList({ ...noFrame, text: 'How?', button: 'See', sections, ...change })).toEqual({
    problem,
  })
})
