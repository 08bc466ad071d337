import { expect, test } from 'vitest'
import type { LabDevice } from '../../lab/device/lab-device-types.ts'
import type { LabPerson } from '../../lab/device/lab-person.ts'
import { openTestLab } from '../../lab/open-test-lab.ts'

/** A total timeout of this would end every request here: all of them take seconds. */
const line = { silenceMs: 1_000, bytesPerSecond: 10_000 }

const texts = Array.from({ length: 80 }, (_, i) => `message ${i + 1}`)

async function sayAll(device: LabDevice, to: LabPerson) {
  for (const text of texts) await device.say(to, text)
}

async function readTexts(device: LabDevice, withWhom: LabPerson) {
  return (await device.read(withWhom)).map(({ content }) => content)
}

test('P1: what was written offline leaves on a slow line, and what was missed arrives on one', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device({ line }), await ben.device({ line })]
  await lab.settle()
  for (const { network } of [phone, tablet]) {
    network.goOffline()
    network.slow({ bytesPerSecond: 25_000 })
  }
  await sayAll(phone, ben)
  phone.network.goOnline()
  await lab.settle()
  tablet.network.goOnline()
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(tablet, ann)).toEqual(texts)
})

test('P1: on a line that breaks in every long answer all arrives in short ones, and nothing is left out', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device({ line })]
  await lab.settle()
  tablet.network.goOffline()
  await sayAll(phone, ben)
  await lab.settle()
  tablet.network.slow({ bytesPerSecond: 1_000_000, breaksAfterBytes: 20_000 })
  tablet.network.goOnline()
  await lab.settle()
  await lab.expectConverged()
  expect(await readTexts(tablet, ann)).toEqual(texts)
})

test('P1: what is written while much is being caught up does not wait for that', async () => {
  const { lab, ann, ben } = await openTestLab()
  const [phone, tablet] = [await ann.device(), await ben.device()]
  await phone.say(ben, 'before')
  await lab.settle()
  tablet.network.goOffline()
  await sayAll(phone, ben)
  await lab.settle()
  const letCatchUp = tablet.network.holdPulls()
  tablet.network.goOnline()
  const id = await tablet.say(ann, 'on my way')
  await expect.poll(async () => (await phone.stored()).messages.get(id)?.content).toBe('on my way')
  expect(await readTexts(tablet, ann)).toEqual(['before', 'on my way'])
  letCatchUp()
  await lab.settle()
  await lab.expectConverged()
})
