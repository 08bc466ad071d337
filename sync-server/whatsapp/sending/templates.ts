import type { GraphClient } from '../client/graph-client.ts'
import type { Fetched } from '../client/number-information.ts'
import type { TemplateContent } from '../content/outgoing-message.ts'
import { fetchTemplates, type Template, toUnderscore } from './template-list.ts'

const freshForMs = 10 * 60_000
/** Meta counts these calls by the hour: a limit that is reached would never end. */
const rereadAfterMs = 60_000
const sendable = 'APPROVED'

/**
 * The account's templates, cached for ten minutes. Uses the old ones while they cannot be read.
 * @param now ms of a monotonic clock
 */
export function createTemplates(options: {
  client: GraphClient
  businessAccountId: string
  now?: () => number
}) {
  const { client, businessAccountId, now = () => performance.now() } = options
  const held: {
    list: Template[]
    readAt: number
    failedAt: number
    reading?: Promise<Fetched<Template[]>>
  } = { list: [], readAt: Number.NEGATIVE_INFINITY, failedAt: Number.NEGATIVE_INFINITY }

  async function read(): Promise<Fetched<Template[]>> {
    const fetched = await fetchTemplates(client, businessAccountId)
    if (fetched.kind === 'found') {
      held.list = fetched.value
      held.readAt = now()
    } else {
      held.failedAt = now()
    }
    return fetched
  }

  /** Concurrent callers share one read. */
  async function refresh(): Promise<Fetched<Template[]>> {
    held.reading ??= read().finally(() => {
      delete held.reading
    })
    return await held.reading
  }

  async function list(): Promise<Fetched<Template[]>> {
    const old = { kind: 'found', value: held.list } as const
    if (now() - held.readAt < freshForMs) return old
    const hasOld = held.readAt !== Number.NEGATIVE_INFINITY
    if (hasOld && now() - held.failedAt < rereadAfterMs) return old
    const fetched = await refresh()
    return fetched.kind === 'found' || !hasOld ? fetched : old
  }

  /**
   * The next use rereads the list: a send was refused because of it, or a webhook announced a
   * change.
   */
  function forget() {
    held.readAt = Math.min(held.readAt, now() - freshForMs)
  }

  return {
    list,
    refresh,
    forget,

    /** A webhook announced one template's new status. */
    noteStatus({ name, language, status }: { name: string; language: string; status: string }) {
      const code = toUnderscore(language)
      const own = held.list.find((one) => one.name === name && one.language === code)
      if (own) own.status = status
      else forget()
    },

    /**
     * The template with a language that can be sent: the exact one, else the same language of
     * another region, else as given, for WhatsApp to refuse.
     */
    async resolveLanguage(content: TemplateContent): Promise<TemplateContent> {
      const fetched = await list()
      const known = fetched.kind === 'found' ? fetched.value : []
      const code = toUnderscore(content.language.code)
      const named = known.filter(({ name, status }) => name === content.name && status === sendable)
      const baseOf = (language: string) => language.split('_')[0]
      const fitting =
        named.find(({ language }) => language === code) ??
        named.find(({ language }) => baseOf(language) === baseOf(code))
      return { ...content, language: { ...content.language, code: fitting?.language ?? code } }
    },
  }
}
