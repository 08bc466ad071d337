import * as z from 'zod/mini'
import { emulatorAccount } from '../state/emulator-config.ts'
import { GraphFault } from '../wire/graph-fault.ts'
import { type GraphCall, type GraphReply, succeed } from './graph-call.ts'
import { readJsonBody } from './read-json-body.ts'

const subscription = z.object({
  object: z.literal('whatsapp_business_account'),
  callback_url: z.url(),
  verify_token: z.string(),
})

/** `POST /{app}/subscriptions`: sets the webhook address after a successful handshake. */
export async function subscribe(call: GraphCall): Promise<GraphReply> {
  const { config, webhooks } = call.emulation
  const isJson = String(call.headers['content-type'] ?? '').includes('json')
  const fields = isJson
    ? readJsonBody(call.body)
    : Object.fromEntries([...new URLSearchParams(call.body.toString('utf8')), ...call.query])
  const read = subscription.safeParse(fields)
  if (!read.success)
    throw new GraphFault(100, { details: 'callback_url and verify_token are required' })
  config.webhookUrl = read.data.callback_url
  config.verifyToken = read.data.verify_token
  if (await webhooks.verify()) return succeed()
  throw new GraphFault(100, {
    subcode: 2200,
    message: '(#2200) Callback verification failed: the challenge did not come back',
  })
}

export function listApps({ emulation }: GraphCall): GraphReply {
  const data = [...emulation.state.subscriptions.apps].map((id) => ({
    whatsapp_business_api_data: { id, name: 'Emulated app', link: 'https://example.org/' },
  }))
  return { kind: 'json', body: { data } }
}

export function changeApps(isAdding: boolean) {
  return ({ emulation }: GraphCall): GraphReply => {
    const { apps } = emulation.state.subscriptions
    if (isAdding) apps.add(emulatorAccount.appId)
    else apps.delete(emulatorAccount.appId)
    return succeed()
  }
}
