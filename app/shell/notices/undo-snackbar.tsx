import { useEffect, useRef } from 'react'
import type { Offer } from '../../sync/undo.ts'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import styles from './undo-snackbar.module.css'

type UndoSnackbarProps =
  /** Above the composer of this chat, for what was done to its messages. */
  | { chatId: string }
  /** For everything else. `shownChatId`: the chat that is open, and shows its own. */
  | { isOverList: boolean; shownChatId?: string | undefined }

/**
 * Reports an action and offers Undo. Hover or focus pauses its timer; Ctrl+Z undoes from anywhere.
 */
export function UndoSnackbar(props: UndoSnackbarProps) {
  const { undo } = useMessenger()
  const offer = useLivePart(undo.offer, (offer) => (isShownHere(offer, props) ? offer : undefined))
  const cameFrom = useRef<HTMLElement>(undefined)
  const canUndo = offer?.canUndo ?? false

  useEffect(() => {
    if (!canUndo) return
    const onKeyDown = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.code === 'KeyZ'
      if (!isUndo || event.defaultPrevented || hasWords(event.target)) return
      event.preventDefault()
      void undo.undo()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [undo, canUndo])

  // The hovered or focused element is gone with the offer, or with the chat that it lies in.
  useEffect(() => {
    if (!offer) undo.hold(false)
    return () => {
      if (offer) undo.hold(false)
    }
  }, [undo, offer])

  return (
    <div
      className={joinClassNames(
        'chatId' in props ? styles.inChat : styles.place,
        'isOverList' in props && props.isOverList && styles.overList,
      )}
    >
      <div role="status">{offer && <p className={styles.said}>{sayOffer(offer)}</p>}</div>
      {offer && (
        <section
          className={styles.snackbar}
          aria-label="Undo"
          // A mouse at rest, which it comes up beneath, does not read it.
          onPointerMove={({ movementX, movementY }) => {
            if (movementX !== 0 || movementY !== 0) undo.hold(true)
          }}
          onPointerLeave={(event) => {
            if (!event.currentTarget.contains(document.activeElement)) undo.hold(false)
          }}
          onFocus={(event) => {
            if (event.relatedTarget instanceof HTMLElement) cameFrom.current = event.relatedTarget
            undo.hold(true)
          }}
          onBlur={() => undo.hold(false)}
        >
          <span aria-hidden="true">{offer.words}</span>
          {offer.canUndo && (
            <button
              type="button"
              className={styles.undo}
              aria-keyshortcuts="Control+Z"
              onClick={() => {
                cameFrom.current?.focus()
                void undo.undo()
              }}
            >
              Undo
            </button>
          )}
        </section>
      )}
    </div>
  )
}

function isShownHere(offer: Offer | undefined, place: UndoSnackbarProps): boolean {
  if ('chatId' in place) return offer?.peerId === place.chatId
  return offer?.peerId === undefined || offer.peerId !== place.shownChatId
}

function sayOffer({ words, canUndo }: { words: string; canUndo: boolean }): string {
  return canUndo ? `${words}. Press Control Z to undo.` : words
}

/** A field that contains text keeps that key. */
function hasWords(target: EventTarget | null): boolean {
  const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement
  return isField && target.value !== ''
}
