import type { GraphClient } from '../client/graph-client.ts'
import { fetchTemplates, type Template } from './template-list.ts'

/**
 * The templates that the screens need. WhatsApp requires text around each value, and an example of
 * it.
 */
const neededTemplates = [
  {
    name: 'hello_world',
    components: [{ type: 'BODY', text: 'Hello World!' }],
  },
  {
    name: 'order_confirmation',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order Confirmation' },
      {
        type: 'BODY',
        text: 'Thank you! Your order {{1}} is confirmed, the total is {{2}} with tax.',
        example: { body_text: [['A-1', '$10.00']] },
      },
      { type: 'FOOTER', text: 'Thank you for your business!' },
    ],
  },
  {
    name: 'message_from_us',
    components: [
      {
        type: 'BODY',
        text: 'We have a message for you: {{1}} Reply here to talk with us.',
        example: { body_text: [['Your parcel is here.']] },
      },
    ],
  },
] as const

const language = 'en'
const lookEveryMs = 5_000

/** A template's result: existing, created, or refused. `status` is WhatsApp's word. */
export interface CreatedTemplate {
  name: string
  outcome: 'there' | 'created' | 'refused'
  status: string
}

/**
 * Creates an account's missing templates, and waits until WhatsApp has reviewed them.
 * @param sleep waits, ms
 * @param waitMaxMs the longest wait for WhatsApp
 * @throws Error with a sentence when the account cannot be read
 */
export async function createTemplates(options: {
  client: GraphClient
  businessAccountId: string
  sleep: (ms: number) => Promise<void>
  waitMaxMs: number
}): Promise<CreatedTemplate[]> {
  const { client, businessAccountId, sleep, waitMaxMs } = options

  async function readAll(): Promise<Template[]> {
    const fetched = await fetchTemplates(client, businessAccountId)
    if (fetched.kind === 'found') return fetched.value
    throw new Error(
      fetched.kind === 'refused'
        ? `WhatsApp refused to list the templates: ${fetched.error.details ?? fetched.error.words}`
        : 'WhatsApp did not answer. Check WHATSAPP_GRAPH_BASE_URL and try again.',
    )
  }

  const find = (all: readonly Template[], name: string) =>
    all.find((one) => one.name === name && one.language === language)

  async function create(template: (typeof neededTemplates)[number]): Promise<CreatedTemplate> {
    const { name, components } = template
    const answer = await client.call({
      method: 'POST',
      path: `${encodeURIComponent(businessAccountId)}/message_templates`,
      json: { name, language, category: 'UTILITY', components },
    })
    if (answer.kind === 'ok') return { name, outcome: 'created', status: 'PENDING' }
    const why = answer.kind === 'refused' ? answer.error.details : answer.why
    return { name, outcome: 'refused', status: why ?? 'REFUSED' }
  }

  const before = await readAll()
  const created: CreatedTemplate[] = []
  for (const template of neededTemplates) {
    const known = find(before, template.name)
    created.push(
      known
        ? { name: template.name, outcome: 'there', status: known.status }
        : await create(template),
    )
  }
  for (let waited = 0; waited < waitMaxMs; waited += lookEveryMs) {
    if (created.every(({ status }) => status !== 'PENDING')) break
    await sleep(lookEveryMs)
    const now = await readAll()
    for (const one of created) {
      if (one.outcome !== 'refused') one.status = find(now, one.name)?.status ?? one.status
    }
  }
  return created
}
