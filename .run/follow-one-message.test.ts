import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { waitUntil } from '../app/lab/browser/wait-until.ts'
import { createLab } from '../app/lab/create-lab.ts'
import type { SyncTraceEvent } from '../app/sync/platform/sync-trace.ts'
import { top } from './project.mjs'
import { readSection } from './read-readme.ts'
import { recordCalls } from './record-calls.ts'

const hops = readSection('Follow one message').flatMap((line) => {
  const [, name, file] = /^\| \d+\..*\| `(\w+)` \| \[([^\]]+)\]/.exec(line) ?? []
  return name && file ? [{ name, file }] : []
})

/** Both ends are screens, which Node does not render. */
const isScreen = ({ file }: { file: string }) => /^app\/(conversation|messages)\//.test(file)

const isTaken = (event: SyncTraceEvent) => event.kind === 'frame' && event.what === 'pushes-taken'

test('each hop of "Follow one message" is a function in that file', () => {
  expect(hops.length).toBeGreaterThan(8)
  const missing = hops.filter(({ name, file }) => {
    const source = readFileSync(top + file, 'utf8')
    return !new RegExp(`\\b(function|const) ${name}\\b|\\basync ${name}\\(`).test(source)
  })
  expect(missing).toEqual([])
})

test('a message from one device to the other passes every hop of "Follow one message"', async () => {
  const lab = await createLab()
  onTestFinished(() => lab.close())
  const [ann, ben] = [await lab.person('ann'), await lab.person('ben')]
  const [from, to] = [await ann.device(), await ben.device()]
  const heard: string[] = []
  to.network.record((told) => heard.push(told))
  await lab.settle()
  // A line that opens late carries nothing before the request that waits for news is answered.
  const isOpen = () => to.messenger.readTrace().events.some(isTaken)
  await waitUntil('the line is open', isOpen)
  await from.say(ben, 'first')
  await lab.settle()
  const isFollowed = (told: string) => /^\{"event":"here","data":\{.*"messages":/.test(told)
  await waitUntil('the line carries its messages', () => heard.some(isFollowed))
  const view = to.messenger.openConversation(ann.userId)
  const calls = await recordCalls(
    async () => {
      await from.say(ben, 'hello')
      await waitUntil('it is shown', () => view.messages.getSnapshot().items.length === 2)
      await lab.settle()
    },
    (url) => url.slice(url.indexOf(top) + top.length),
  )
  view.close()
  const missed = hops.filter((hop) => !isScreen(hop) && !calls.has(`${hop.file} ${hop.name}`))
  expect(missed).toEqual([])
})
