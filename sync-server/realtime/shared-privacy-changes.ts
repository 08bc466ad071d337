import * as z from 'zod/mini'
import type { Privacy } from '../access/privacy/privacy.ts'
import type { ServerLink } from '../cluster/server-link.ts'

const change = z.object({ userId: z.string(), names: z.array(z.string()) })

/** What a person hides on one server is hidden at once on all. */
export function createSharedPrivacyChanges(options: {
  privacy: Pick<Privacy, 'onChanged' | 'handleChanged'>
  link: ServerLink
}) {
  const { privacy, link } = options
  const state = { isHearing: false }
  const stopListening = [
    privacy.onChanged((userId, names) => {
      if (!state.isHearing) link.publish('privacy-changed', { userId, names })
    }),
    link.listen('privacy-changed', (data) => {
      const { userId, names } = change.parse(data)
      state.isHearing = true
      privacy.handleChanged(userId, names)
      state.isHearing = false
    }),
  ]
  return {
    close() {
      for (const stop of stopListening) stop()
    },
  }
}
