import type { ClientEvent, ServerEvent } from '../../../schema/api/socket-events.ts'
import type { Page } from '../platform/platform.ts'

/**
 * Tells a server that asks whether the person looks at this tab: devices of people who look at none
 * are pushed to.
 */
export function createFrontSignal(options: {
  send: (event: ClientEvent) => boolean
  page: Pick<Page, 'isVisible' | 'subscribe'>
}) {
  const { send, page } = options
  const state = { isAsked: false, told: undefined as boolean | undefined }

  function tell() {
    const isFront = page.isVisible()
    if (!state.isAsked || isFront === state.told) return
    if (send({ event: 'front', data: isFront })) state.told = isFront
  }

  const stopListening = page.subscribe((event) => {
    if (event === 'front' || event === 'back') tell()
  })

  return {
    handle(event: ServerEvent) {
      if (event.event !== 'front-wanted') return
      // Who asks knows nothing: a socket takes over from polls without an outage between them.
      Object.assign(state, { isAsked: true, told: undefined })
      tell()
    },
    /** A new connection has to ask again. */
    forget: () => void Object.assign(state, { isAsked: false, told: undefined }),
    close: stopListening,
  }
}
