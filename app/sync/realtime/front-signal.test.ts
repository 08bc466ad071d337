import { expect, onTestFinished, test } from 'vitest'
import type { ClientEvent } from '../../../schema/api/socket-events.ts'
import { createLabPage } from '../../lab/kit/page.ts'
import { createFrontSignal } from '../realtime.ts'

function start() {
  const page = createLabPage()
  const told: ClientEvent[] = []
  const signal = createFrontSignal({
    send(event) {
      told.push(event)
      return true
    },
    page,
  })
  onTestFinished(signal.close)
  return { page, told, signal, ask: () => signal.handle({ event: 'front-wanted', data: true }) }
}

const front = (isFront: boolean) => ({ event: 'front', data: isFront })

test('whoever asks is told each time: a socket that takes over from polls knows nothing yet', () => {
  const { told, ask } = start()
  ask()
  ask()
  expect(told).toEqual([front(true), front(true)])
})

test('nobody is told before asking, nor the same twice between two questions', () => {
  const { page, told, signal, ask } = start()
  page.setVisible(false)
  expect(told).toEqual([])
  ask()
  page.setVisible(true)
  page.setVisible(true)
  expect(told).toEqual([front(false), front(true)])
  signal.forget()
  page.setVisible(false)
  expect(told).toHaveLength(2)
})
