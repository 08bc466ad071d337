import { useEffect, useRef } from 'react'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import { useMessenger } from '../session/messenger-context.tsx'
import styles from './undo-snackbar.module.css'

/**
 * Reports an action and offers Undo. Hover or focus pauses its timer; Ctrl+Z undoes from anywhere.
 */
export function UndoSnackbar({ isOverList }: { isOverList: boolean }) {
  const { undo } = useMessenger()
  const offer = useLiveValue(undo.offer)
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

  // The hovered or focused element is gone with the offer.
  useEffect(() => {
    if (!offer) undo.hold(false)
  }, [undo, offer])

  return (
    <div className={joinClassNames(styles.place, isOverList && styles.overList)}>
      <div role="status">{offer && <p className={styles.said}>{sayOffer(offer)}</p>}</div>
      {offer && (
        <section
          className={styles.snackbar}
          aria-label="Undo"
          onPointerEnter={() => undo.hold(true)}
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

function sayOffer({ words, canUndo }: { words: string; canUndo: boolean }): string {
  return canUndo ? `${words}. Press Control Z to undo.` : words
}

/** A field that contains text keeps that key. */
function hasWords(target: EventTarget | null): boolean {
  const isField = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement
  return isField && target.value !== ''
}
