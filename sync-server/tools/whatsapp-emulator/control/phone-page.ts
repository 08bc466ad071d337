import express, { type Router } from 'express'
import type { Emulation } from '../state/emulation.ts'
import { emulatorAccount } from '../state/emulator-config.ts'
import type { EmulatorControl } from './control.ts'
import { drawPhonePage } from './phone-page-html.ts'
import { phonePageScript } from './phone-page-script.ts'
import { phonePageStyle } from './phone-page-style.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/**
 * A customer's phone in the browser, at `/__emulator__/`: works without scripts, and updates itself
 * with them.
 */
export function createPhonePage(emulation: Emulation, control: EmulatorControl): Router {
  const router = express.Router()
  router.get('/', (request, response) => {
    const person = readDigits(request.query.person)
    response.set({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    })
    response.send(drawPhonePage(emulation, person))
  })
  router.get('/phone.css', (_request, response) => {
    response.type('css').send(phonePageStyle)
  })
  router.get('/phone.js', (_request, response) => {
    response.type('js').send(phonePageScript)
  })
  router.post('/phone', (request, response) => {
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const form = new URLSearchParams(bytes.toString('utf8'))
    // A choice's data is in its one value: a form sends the pressed button's name and value.
    for (const [name, value] of new URLSearchParams(form.get('choice') ?? '')) form.set(name, value)
    const person = readDigits(form.get('person'))
    if (person) act(control, person, form)
    response.redirect(
      303,
      person ? `./?person=${person}#last` : '../../../whatsapp/emulator/control/',
    )
  })
  return router
}

function readDigits(value: unknown): string {
  const digits = String(value ?? '').replaceAll(/\D/g, '')
  return digits.length >= 7 && digits.length <= 15 ? digits : ''
}

/** Performs a button press on the page. */
function act(control: EmulatorControl, person: string, form: URLSearchParams) {
  const name = form.get('name')?.trim()
  const phone_number_id = form.get('number') ?? emulatorAccount.numberId
  const from = { from: person, phone_number_id, ...(name && { name }) }
  const replyTo = form.get('about') ?? undefined
  const id = form.get('id') ?? ''
  const title = form.get('title') ?? ''
  switch (form.get('do')) {
    case 'say': {
      const text = form.get('text')?.trim()
      if (text) control.inbound({ ...from, content: text })
      return
    }
    case 'press':
      return control.inbound({
        ...from,
        type: 'interactive',
        replyTo,
        content: { type: 'button_reply', button_reply: { id, title } },
      })
    case 'pick':
      return control.inbound({
        ...from,
        type: 'interactive',
        replyTo,
        content: { type: 'list_reply', list_reply: { id, title } },
      })
    case 'press-template':
      return control.inbound({
        ...from,
        type: 'button',
        replyTo,
        content: { payload: id, text: title },
      })
    case 'react':
      return control.inbound({
        ...from,
        type: 'reaction',
        content: { message_id: replyTo ?? '', emoji: '👍' },
      })
    case 'photo':
      return control.inbound({
        ...from,
        type: 'image',
        file: { sample: 'image' },
        content: { caption: '' },
      })
    case 'voice':
      return control.inbound({ ...from, type: 'audio', file: { sample: 'voice' }, content: {} })
    case 'document':
      return control.inbound({
        ...from,
        type: 'document',
        file: { sample: 'document' },
        content: {},
      })
    case 'location':
      return control.inbound({
        ...from,
        type: 'location',
        content: { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburger Tor' },
      })
    case 'read':
      return control.status({ wamid: replyTo ?? '', status: 'read' })
    default:
      return undefined
  }
}
