import { expect, test } from 'vitest'
import { createLab } from './create-lab.ts'
import { untilLive } from './device/read-conversation.ts'
import { parseDeviceTrace, stepsOfDevice, traceOfDevice } from './device-trace.ts'
import { drawPage } from './kit/history-page.ts'
import { openTestLab } from './open-test-lab.ts'
import { runHistory } from './run-history.ts'

/** Words that stand nowhere else, each in a place of its own. */
const canaries = {
  text: 'albatrossdiomedea',
  // As it would look like a document's id, if it were not escaped.
  quoted: '","_id":"bitternbotaurus","x":"',
  heard: 'cormorantphalacrocorax',
  offline: 'dunlincalidris',
  refused: 'eidersomateria',
}

/** A device that wrote, heard, was refused, and went offline in the middle of a word. */
async function openTracedDevice() {
  const { lab, ann, ben } = await openTestLab()
  const phone = await ann.device()
  const tablet = await ben.device()
  const wire: string[] = []
  phone.network.record((told) => wire.push(told))
  // Before, everything may go by requests, and no frame ever carries a push.
  const taken = expect.objectContaining({ kind: 'frame', way: 'back', what: 'pushes-taken' })
  await expect.poll(() => phone.messenger.readTrace().events).toContainEqual(taken)
  const sent = [await phone.say(ben, canaries.text), await phone.say(ben, canaries.quoted)]
  await lab.settle()
  const heard = await tablet.say(ann, canaries.heard)
  await lab.settle()
  phone.network.blockSockets()
  const when = ({ path }: { path: string }) => path.endsWith('/_bulk_docs')
  phone.network.add({ do: 'answer', status: 503, count: 1, when })
  sent.push(await phone.say(ben, canaries.refused))
  await lab.settle()
  phone.network.goOffline()
  const waiting = await phone.say(ben, canaries.offline)
  const { connection } = phone.messenger
  await untilLive(connection, ({ pendingCount }) => pendingCount === 1)
  return { ann, ben, phone, wire, sent, heard, waiting }
}

test('a trace has what the sync did, offline too, and no words, names, tokens, addresses or whole ids', async () => {
  const { ann, ben, phone, wire, sent, heard, waiting } = await openTracedDevice()
  const told = JSON.stringify(phone.messenger.readTrace())
  const tokens = wire.flatMap((line) =>
    [...line.matchAll(/Bearer (\S+?)"/g)].map(([, token = '']) => token),
  )
  expect(tokens.length).toBeGreaterThan(0)
  const birds = Object.values(canaries).map((words) => /[a-z]{10,}/.exec(words)?.[0] ?? words)
  const people = [ann.userId, ben.userId, 'ann', 'ben', 'example.org']
  for (const hidden of [
    ...birds,
    ...people,
    ...tokens,
    ...sent,
    heard,
    waiting,
    '127.0.0.1',
    'http',
  ])
    expect(told).not.toContain(hidden)

  const { events } = parseDeviceTrace(told)
  const last = events.findLast(({ kind }) => kind === 'stored')
  expect(last).toMatchObject({ waiting: [waiting.slice(-4)] })
  expect(events).toContainEqual(expect.objectContaining({ kind: 'page', what: 'offline' }))
  expect(events).toContainEqual(expect.objectContaining({ kind: 'state', what: 'offline' }))
  expect(events).toContainEqual(expect.objectContaining({ kind: 'line', what: 'open' }))
  expect(events).toContainEqual(expect.objectContaining({ kind: 'request', status: 503 }))
  const pushed = expect.objectContaining({ kind: 'frame', way: 'there', what: 'push-documents' })
  expect(events).toContainEqual(pushed)
  const stored = events.flatMap((event) => (event.kind === 'stored' ? event.others : []))
  expect(stored).toContain(heard.slice(-4))
})

test("a device's trace is drawn, and its steps run again in the lab", async () => {
  const { phone } = await openTracedDevice()
  const trace = parseDeviceTrace(JSON.stringify(phone.messenger.readTrace()))
  const page = drawPage({ title: 'A device', broken: [], trace: traceOfDevice(trace) })
  expect(page).toContain('>offline<')
  expect(page).toMatch(/messages\/_bulk_docs/)

  const steps = stepsOfDevice(trace)
  const named = steps.flatMap((step) =>
    step.do === 'say' || step.do === 'offline' ? [`${step.do} ${step.device}`] : [],
  )
  expect(named).toEqual(['say 0', 'say 0', 'say 2', 'say 0', 'offline 0', 'say 0'])
  expect(steps.map((step) => step.do)).toContain('refuse')
  await runHistory({ seed: 1, steps: steps.length, replay: steps, createLab, shrinkTries: 0 })
})

test('what is no trace is told so', () => {
  expect(() => parseDeviceTrace('{"kind":"a song"}')).toThrow('no sync trace')
})
