import { useEffect, useRef, useState } from 'react'
import { kindOf } from '../../../schema/conversation.ts'
import type { LinkPreview } from '../../../schema/link-preview.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { isEncrypted } from '../../sync/people/encryption-states.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { splitLinks } from '../../ui/text/split-links.ts'

/** Half an address is no question for the server. */
const writtenAfterMs = 700

interface WrittenLinkOptions {
  messenger: Messenger
  peerId: string
  readLink(url: string): Promise<LinkPreview | undefined>
}

interface WrittenLink {
  /** What is known of the first address in the text, unless the person removed it. */
  shown: LinkPreview | undefined
  /** Call with each change of the text. */
  write(text: string): void
  /** What goes with this text. */
  of(text: string): LinkPreview | undefined
  remove(): void
}

/**
 * The preview of the first address in the text being written. None without a network, in an encrypted chat, whose
 * addresses the server may not read, to a customer, whose app makes its own, or where the person wants none.
 */
export function useWrittenLink({ messenger, peerId, readLink }: WrittenLinkOptions): WrittenLink {
  const [url, setUrl] = useState(() => findFirst(messenger.drafts.get(peerId).getSnapshot()))
  const [found, setFound] = useState<LinkPreview>()
  const [removed, setRemoved] = useState<string>()
  const now = useRef(url)
  const isLive = useLivePart(messenger.connection, ({ state }) => state === 'live')
  const isSealed = useLivePart(messenger.encryption.of(peerId), isEncrypted)
  const isCustomer = kindOf(useLiveValue(messenger.peers.get(peerId))) === 'business'
  const isWanted = useLivePart(messenger.settings.values, ({ linkPreviews }) => linkPreviews)
  const isAllowed = isWanted && !isSealed && !isCustomer
  const asked = isAllowed && isLive && url !== removed && found?.url !== url ? url : undefined
  useEffect(() => {
    if (asked === undefined) return
    let isStill = true
    const timer = setTimeout(() => {
      // Without one the message goes as it is.
      const none = () => undefined
      void readLink(asked)
        .catch(none)
        .then((preview) => isStill && preview && setFound(preview))
    }, writtenAfterMs)
    return () => {
      isStill = false
      clearTimeout(timer)
    }
  }, [asked, readLink])

  const pick = (wanted: string | undefined) =>
    isAllowed && wanted !== undefined && wanted !== removed && found?.url === wanted
      ? found
      : undefined
  return {
    shown: pick(url),
    write(text) {
      const first = findFirst(text)
      if (first === now.current) return
      now.current = first
      setUrl(first)
      // Once the text has none, the next one is asked for, also if it is the same.
      if (first === undefined) setRemoved(undefined)
    },
    of: (text) => pick(findFirst(text)),
    remove: () => setRemoved(url),
  }
}

function findFirst(text: string): string | undefined {
  return splitLinks(text).find(({ href }) => href !== undefined)?.href
}
