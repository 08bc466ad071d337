import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/text.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Settings } from '../../../schema/settings.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { keptSettings } from '../../ui/hooks/kept-settings.ts'
import { useLivePart, useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { networkType } from './network-type.ts'
import { readyFilesOf } from './ready-files.ts'

/** Unmetered networks. Source: `ConnectionType` of the Network Information API. */
const freeNetworks = ['wifi', 'ethernet']

/**
 * `away`: not on this device; `problem`: why loading failed; `isAsked`: loads once the server is
 * back; `isCleared`: a person cleared it, so it loads only on request.
 */
export type FileView =
  | { kind: 'reading' }
  | { kind: 'away'; problem?: string; isAsked?: boolean; isCleared?: boolean }
  | { kind: 'loading' }
  | { kind: 'here'; bytes: Blob }

const unreachable = ['starting', 'connecting', 'offline']
const laterWords = "No connection. This will load when you're back online."

/**
 * A message's file, from this device, else from the server. With `isAutomatic`, and if the
 * setting allows it, loads automatically, and retries whenever the server is back.
 */
export function useFile(options: {
  messenger: Pick<Messenger, 'files' | 'connection'>
  message: MessageDocument
  isAutomatic: boolean
  /** Which setting allows that: that of pictures and voice messages, unless it says another. */
  setting?: 'loadPictures' | 'loadVideos' | 'loadFiles'
  /** The file, if it is in memory already. */
  known?: Blob | undefined
}): { view: FileView; load(): Promise<Blob | undefined> } {
  const { messenger, message, isAutomatic, setting = 'loadPictures', known } = options
  const { files, connection } = messenger
  const ready = readyFilesOf(files)
  const [view, setView] = useState<FileView>(() => {
    const bytes = known ?? ready.find(message._id)?.bytes
    return bytes ? { kind: 'here', bytes } : { kind: 'reading' }
  })
  const isLive = useLivePart(connection, ({ state }) => state === 'live')
  const mayLoad = mayLoadUnasked(
    useLivePart(keptSettings, (settings) => settings[setting]),
    useLiveValue(networkType),
  )
  const { _id, mediaUrl, peerId, orderedAt } = message
  const { size, mimeType = '', key } = message.file ?? {}
  const about = useMemo(
    () => ({ _id, ...(mediaUrl !== undefined && { mediaUrl }) }),
    [_id, mediaUrl],
  )
  const shown = useRef(false)

  const load = useCallback(
    () =>
      files
        .load({ ...about, file: size === undefined ? undefined : { size, mimeType, key } })
        // The view tells of it.
        .catch(() => undefined),
    [files, about, size, mimeType, key],
  )

  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])

  useEffect(() => files.hold(about), [files, about])

  useEffect(() => {
    async function follow(file: Promise<Blob>) {
      setView((now) => (now.kind === 'here' ? now : { kind: 'loading' }))
      try {
        const bytes = await file
        if (shown.current) setView({ kind: 'here', bytes })
      } catch (cause) {
        const { state } = connection.getSnapshot()
        const isAsked = mediaUrl !== undefined && unreachable.includes(state)
        const problem = isAsked ? laterWords : wordsOf(cause)
        if (shown.current) setView({ kind: 'away', problem, isAsked })
      }
    }
    // Or another view loads it: the gallery above the chat, or this row before it was drawn again.
    return files.onLoading(about, (file) => void follow(file))
  }, [files, connection, about, mediaUrl])

  useEffect(() => {
    let isOver = false
    async function look(): Promise<FileView> {
      const bytes = await files.find(about)
      if (bytes) return { kind: 'here', bytes }
      return { kind: 'away', isCleared: await files.wasCleared({ peerId, orderedAt }) }
    }
    void look()
      .catch((): FileView => ({ kind: 'away' }))
      .then((found) => {
        // It may have been cleared since it was shown last.
        const isGone = found.kind === 'away' && ready.find(about._id) !== undefined
        if (isGone) ready.forget(about._id)
        if (!isOver) setView((now) => (now.kind === 'reading' || isGone ? found : now))
      })
    return () => {
      isOver = true
    }
  }, [files, ready, about, peerId, orderedAt])

  useEffect(() => {
    // Once the server is back, clears the reason of an earlier failure and retries; until then it
    // stays.
    if (!isLive) return
    setView((now) => {
      if (now.kind !== 'away') return now
      const { problem: _, ...rest } = now
      return rest
    })
  }, [isLive])

  const isWanted =
    isLive &&
    mediaUrl !== undefined &&
    view.kind === 'away' &&
    !view.problem &&
    (view.isAsked || (isAutomatic && mayLoad && !view.isCleared))
  useEffect(() => {
    if (isWanted) void load()
  }, [isWanted, load])

  return { view, load }
}

type LoadingChoice = Settings['loadPictures']

/** May media of one kind load automatically? `networkType`: if the browser reports it. */
export function mayLoadUnasked(choice: LoadingChoice, networkType: string | undefined): boolean {
  if (choice === 'never') return false
  return choice === 'always' || networkType === undefined || freeNetworks.includes(networkType)
}

/**
 * A message's file for an element of the page: `url` once loaded, unless the browser cannot show
 * it. `isReady`: it was shown before, so the browser can draw it in its first frame.
 */
export function useShownFile(options: Parameters<typeof useFile>[0]) {
  const { view, load } = useFile(options)
  const ready = readyFilesOf(options.messenger.files)
  const { _id } = options.message
  const bytes = view.kind === 'here' ? view.bytes : undefined
  const [own, setOwn] = useState(() => ready.find(_id)?.url)
  const [isReady] = useState(own !== undefined)
  const [isBroken, setIsBroken] = useState(false)
  useLayoutEffect(() => {
    if (!bytes) return
    const held = ready.hold(_id, bytes)
    setOwn(held.url)
    return () => {
      setOwn(undefined)
      held.release()
    }
  }, [ready, _id, bytes])
  return {
    view,
    load,
    isBroken,
    isReady,
    url: isBroken ? undefined : own,
    onError: () => setIsBroken(true),
  }
}

/** An object URL for bytes; revoked on unmount. */
export function useObjectUrl(bytes: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!bytes) return
    const own = URL.createObjectURL(bytes)
    setUrl(own)
    return () => {
      setUrl(undefined)
      URL.revokeObjectURL(own)
    }
  }, [bytes])
  return url
}
