import { expect, test } from 'vitest'
import type { LabDevice } from '../../../lab/device/lab-device.ts'
import { openTestLab } from '../../../lab/open-test-lab.ts'

/** How a device pushed so far, oldest first. */
const listPushes = ({ network }: LabDevice) =>
  network.listRequests().flatMap((line) => {
    const [, way, database] = /^(\w+) \/sync\/(\w+)\/_bulk_docs$/.exec(line) ?? []
    return way ? [`${way} ${database}`] : []
  })

test('a message and its marks go over the line, without a request', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await lab.settle()
  const before = [phone, tablet].map((device) => listPushes(device).length)
  await phone.say(ben, 'hello')
  await lab.settle()
  await tablet.messenger.commands.markRead(ann.userId)
  await lab.settle()
  await lab.expectConverged()
  const pushed = [phone, tablet].flatMap((device, n) => listPushes(device).slice(before[n]))
  expect(new Set(pushed)).toEqual(new Set(['PUSH messages', 'PUSH conversations']))
})
