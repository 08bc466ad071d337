import { expect, test } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { readSettings } from '../../schema/settings.ts'
import { waitUntil } from '../lab/browser/wait-until.ts'
import type { LabDevice } from '../lab/device/lab-device-types.ts'
import { openTestLab } from '../lab/open-test-lab.ts'
import { changeChannelSettings, listLabels } from './channel.ts'

const greeting = 'We are open till six.'

/** Ann's phone, with a quick reply and a label that the server has too. */
async function start() {
  const { lab, ann } = await openTestLab()
  const phone = await ann.device()
  await lab.settle()
  await change(phone, { quickReplies: [greeting] })
  await change(phone, { labels: { ben: ['Paid'] } })
  await waitUntil('they have left', async () => (await phone.messenger.countUnsent()) === 0)
  return { lab, ann, phone }
}

type Change = Parameters<typeof changeChannelSettings>[1]

const change = (device: LabDevice, wanted: Change) =>
  changeChannelSettings(device.messenger.settings, wanted)
const valuesOf = (device: LabDevice) => device.messenger.settings.values.getSnapshot()
const waitingOn = (device: LabDevice) =>
  device.messenger.requests.entries.getSnapshot().map(({ request }) => request)

test('quick replies and labels stay while another setting waits, and with what is saved meanwhile', async () => {
  const { phone } = await start()
  phone.network.goOffline()
  await phone.messenger.settings.set({ theme: 'dark' })
  const { whatsApp } = valuesOf(phone)
  expect(whatsApp).toEqual({ quickReplies: [greeting], labels: { ben: ['Paid'] } })
  await change(phone, { labels: { ...whatsApp.labels, carol: ['New order'] } })
  expect(valuesOf(phone)).toMatchObject({
    theme: 'dark',
    whatsApp: { quickReplies: [greeting], labels: { ben: ['Paid'], carol: ['New order'] } },
  })
  await phone.reload()
  expect(valuesOf(phone).whatsApp.quickReplies).toEqual([greeting])
})

test("P5: saving a label sends the channel's part alone, so other devices' settings stay", async () => {
  const { lab, ann, phone } = await start()
  await phone.messenger.settings.set({ theme: 'dark' })
  const laptop = await ann.device()
  await waitUntil('the laptop has both', () => {
    const { theme, whatsApp } = valuesOf(laptop)
    return theme === 'dark' && whatsApp.quickReplies.length === 1
  })
  await lab.settle()
  phone.network.goOffline()
  await change(phone, { labels: { ben: ['Order complete'] } })
  expect(waitingOn(phone)).toEqual([
    {
      kind: 'settings',
      settings: { whatsApp: { quickReplies: [greeting], labels: { ben: ['Order complete'] } } },
      settingsAt: { whatsApp: expect.any(Number) },
    },
  ])
  await laptop.messenger.settings.set({ theme: 'light' })
  await waitUntil('it has left', async () => (await laptop.messenger.countUnsent()) === 0)
  phone.network.goOnline()
  for (const device of [phone, laptop]) {
    await waitUntil(`${device.name} has both`, () => {
      const { theme, whatsApp } = valuesOf(device)
      return theme === 'light' && listLabels(whatsApp, 'ben')[0] === 'Order complete'
    })
  }
})

test('a device that has just signed in saves a label beside what the sign-in knows', async () => {
  const { ann } = await start()
  const laptop = await ann.device()
  expect(valuesOf(laptop).whatsApp.labels).toEqual({ ben: ['Paid'] })
  await change(laptop, { labels: { carol: ['Paid'] } })
  expect(valuesOf(laptop).whatsApp).toEqual({
    quickReplies: [greeting],
    labels: { carol: ['Paid'] },
  })
})

test('a contact without labels takes no room', async () => {
  const { phone } = await start()
  await change(phone, { labels: { ben: [], carol: ['Paid'] } })
  const { whatsApp } = valuesOf(phone)
  expect(whatsApp.labels).toEqual({ carol: ['Paid'] })
  expect(listLabels(whatsApp, 'carol')).toEqual(['Paid'])
  expect(listLabels(whatsApp, 'ben')).toEqual([])
  expect(listLabels(whatsApp, 'constructor')).toEqual([])
})

test('more than the server would take is refused with words, and less of it is not', async () => {
  const { phone } = await start()
  const reply = 'x'.repeat(limits.settingsMaxLength)
  await expect(change(phone, { quickReplies: [reply] })).rejects.toThrow('There is no room')
  expect(valuesOf(phone).whatsApp.quickReplies).toEqual([greeting])
  expect(waitingOn(phone)).toEqual([])

  phone.network.goOffline()
  // As an app without this limit may have stored it.
  await phone.messenger.settings.set({ whatsApp: { quickReplies: [reply, greeting], labels: {} } })
  await change(phone, { quickReplies: [reply] })
  expect(valuesOf(phone).whatsApp.quickReplies).toEqual([reply])
})

test.each([undefined, null, 'text', { quickReplies: 7, labels: [] }, { labels: { ann: 'x' } }])(
  'settings of another kind (%o) break nothing',
  (stored) => {
    const { whatsApp } = readSettings(JSON.parse(JSON.stringify({ whatsApp: stored })))
    expect(whatsApp.quickReplies).toEqual([])
    expect(listLabels(whatsApp, 'ann')).toEqual([])
  },
)
