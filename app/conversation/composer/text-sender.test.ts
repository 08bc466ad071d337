import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextSender } from './composer.tsx'

function openSender({ fails = false } = {}) {
  const state = { text: '', error: undefined as string | undefined, stored: [] as string[] }
  const steps: (() => void)[] = []
  const sender = createTextSender({
    initialText: '',
    onChange: (text) => {
      state.text = text
    },
    onError: (words) => {
      state.error = words
    },
    store: (content) =>
      new Promise((resolve, reject) => {
        steps.push(() => {
          if (fails) return reject(new Error('This device is full.'))
          state.stored.push(content)
          resolve()
        })
      }),
  })
  /** Lets the database finish one write. */
  const finishWrite = async () => {
    steps.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...sender, state, finishWrite, hasWrites: () => steps.length > 0 }
}

test('P1: the field clears only after the message is stored', async () => {
  const { write, send, state, finishWrite } = openSender()
  write('  hello ')
  const sent = send()
  expect(state).toMatchObject({ text: '  hello ', stored: [] })
  await finishWrite()
  await sent
  expect(state).toMatchObject({ text: '', stored: ['hello'] })
})

test('text typed while a message is being stored stays in the field', async () => {
  const { write, send, state, finishWrite } = openSender()
  write('hello')
  const sent = send()
  write('hello and')
  await finishWrite()
  await sent
  expect(state).toMatchObject({ text: ' and', stored: ['hello'] })
})

test('a second Enter meanwhile does not send twice', async () => {
  const { write, send, state, finishWrite } = openSender()
  write('hello')
  const sent = Promise.all([send(), send()])
  await finishWrite()
  await sent
  expect(state).toMatchObject({ text: '', stored: ['hello'] })
})

test('spaces alone are not sent', async () => {
  const { write, send, hasWrites } = openSender()
  write(' \n ')
  await send()
  expect(hasWrites()).toBe(false)
})

test('P6: a text that cannot be stored returns to the field with the reason', async () => {
  const { write, send, state, finishWrite } = openSender({ fails: true })
  write('first')
  const sent = send()
  write('second')
  await finishWrite()
  await sent
  expect(state).toMatchObject({ text: 'firstsecond', error: 'This device is full.' })
})

test('P1: every text that was sent is stored once and in order, however slow the database is', async () => {
  const words = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '')
  const step = fc.oneof(words, fc.constant(undefined))
  await fc.assert(
    fc.asyncProperty(fc.array(step), async (steps) => {
      const { write, send, state, finishWrite, hasWrites } = openSender()
      const typed: string[] = []
      for (const text of steps) {
        if (text === undefined) await finishWrite()
        else {
          write(state.text + text)
          typed.push(text.trim())
          void send()
        }
      }
      while (hasWrites()) await finishWrite()
      expect(state).toMatchObject({ text: '', stored: typed })
    }),
  )
})
