import { afterEach, expect, test } from 'vitest'
import { openTestEmulator } from '../../../testing/open-test-emulator.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function openPage() {
  const opened = await openTestEmulator()
  open.push(opened)
  const { emulator } = opened
  const at = (path: string) => `${emulator.url}/__emulator__/${path}`
  return {
    ...opened,
    look: async (path = '') => await (await fetch(at(path))).text(),
    press: (fields: Record<string, string>) =>
      fetch(at('phone'), { method: 'POST', body: new URLSearchParams(fields) }),
    fetchPart: (path: string) => fetch(at(path)),
  }
}

const ben = '15555550102'

test('somebody answers as the customer: writes, presses a button, sends a photo, reads', async () => {
  const { emulator, look, press, send } = await openPage()
  expect(await look()).toContain('Nobody has written yet')
  await press({ do: 'say', person: '+1 (555) 555-0102', name: 'Ben', text: 'Hello' })
  const buttons = [{ type: 'reply', reply: { id: 's', title: 'Small' } }]
  const interactive = { type: 'button', body: { text: 'Which?' }, action: { buttons } }
  await send({ to: `+${ben}`, type: 'interactive', interactive })
  await emulator.advance(100)
  const page = await look(`?person=${ben}`)
  for (const words of ['Ben', 'Hello', 'Which?', 'Small', 'Mark as read', 'Sandbox']) {
    expect(page).toContain(words)
  }
  const about = emulator.outbox()[0]?.wamid ?? ''
  const choice = /name="choice" value="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  await press({ person: ben, about, choice })
  await press({ person: ben, about, do: 'react' })
  await press({ person: ben, do: 'photo' })
  await press({ person: ben, do: 'read', about })
  const said = emulator.received().map(({ message }) => message)
  expect(said.map(({ type }) => type)).toEqual(['text', 'interactive', 'reaction', 'image'])
  expect(said[1]).toMatchObject({
    context: { id: about },
    interactive: { type: 'button_reply', button_reply: { id: 's', title: 'Small' } },
  })
  expect(emulator.outbox()[0]?.statuses.at(-1)?.status).toBe('read')
  expect(await look(`?person=${ben}`)).not.toContain('Mark as read')
})

test('what people write is text on it, and scripts come from files only', async () => {
  const { look, press, fetchPart } = await openPage()
  await press({ do: 'say', person: ben, name: '<img src=x>', text: '"><script>alert(1)</script>' })
  const page = await look(`?person=${ben}`)
  expect(page).not.toMatch(/<img|<script>/)
  expect(page).toContain('&lt;script&gt;')
  const { headers } = await fetchPart('')
  expect(headers.get('content-security-policy')).toMatch(/script-src 'self'/)
  expect((await fetchPart('phone.js')).headers.get('content-type')).toMatch(/javascript/)
  expect((await fetchPart('phone.css')).headers.get('content-type')).toMatch(/css/)
})
