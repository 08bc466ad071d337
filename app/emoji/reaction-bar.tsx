import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useMediaQuery } from '../ui/hooks/use-media-query.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { findFocusPath, focusFirst } from '../ui/layers/find-focus-path.ts'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import type { MenuPoint } from '../ui/menus/menu-action.ts'
import { joinClassNames } from '../ui/styles/join-class-names.ts'
import { namedQuickReactions } from '../ui/text/quick-reaction-names.ts'
import { usePicker } from './picker/use-picker.ts'
import styles from './reaction-bar.module.css'
import { useOutsidePress } from './use-outside-press.ts'

interface ReactionBarProps {
  point: MenuPoint
  /** The current own reaction, if any. */
  chosen: string | undefined
  /** Start with all emoji, not only the seven? */
  isExpanded: boolean
  onChoose(emoji: string): void
  onClose(): void
}

const [pickerWidth, pickerHeight] = [350, 400]
const [barWidth, barHeight] = [376, 52]
const marginPx = 8

/** Seven reactions in a row, and the picker for all others. Takes the focus and returns it. */
export function ReactionBar(props: ReactionBarProps) {
  const { point, chosen, onChoose, onClose } = props
  const [isExpanded, setIsExpanded] = useState(props.isExpanded)
  const isPhone = useMediaQuery('(max-width: 767px)')
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  const [returnTo] = useState(findFocusPath)
  const box = useRef<HTMLDivElement>(null)
  const loaded = usePicker(isExpanded, onClose)
  useBackLayer(true, onClose)
  useOutsidePress(true, [box], onClose)
  useEffect(() => {
    if (!isExpanded) box.current?.querySelector('button')?.focus({ preventScroll: true })
  }, [isExpanded])
  useEffect(
    () => () => {
      if (document.activeElement === document.body) focusFirst(returnTo)
    },
    [returnTo],
  )
  if (isExpanded && !loaded) return null
  const size = isExpanded
    ? { width: pickerWidth, height: pickerHeight }
    : { width: Math.min(barWidth, innerWidth - 2 * marginPx), height: barHeight }
  return createPortal(
    <div
      ref={box}
      className={joinClassNames(styles.place, isExpanded && styles.expanded)}
      style={isExpanded && isPhone ? {} : { ...placeNear(point, size), ...size }}
    >
      {loaded ? (
        <loaded.Picker
          data={loaded.data}
          takesFocus={hasKeyboard}
          onPick={onChoose}
          onClose={onClose}
        />
      ) : (
        <div
          className={styles.bar}
          role="dialog"
          aria-label="React"
          onKeyDown={(event) => {
            const buttons = [...(box.current?.querySelectorAll('button') ?? [])]
            const now = buttons.indexOf(document.activeElement as HTMLButtonElement)
            const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0
            if (step !== 0) buttons[(now + step + buttons.length) % buttons.length]?.focus()
            if (event.key !== 'Escape') return
            event.preventDefault()
            onClose()
          }}
        >
          {namedQuickReactions.map(({ emoji, name }) => (
            <button
              key={emoji}
              type="button"
              className={styles.quick}
              aria-label={name}
              aria-pressed={emoji === chosen}
              onClick={() => onChoose(emoji)}
            >
              {emoji}
            </button>
          ))}
          <button
            type="button"
            className={styles.quick}
            aria-label="More reactions"
            onClick={() => setIsExpanded(true)}
          >
            <Icon name="attach" size={20} />
          </button>
        </div>
      )}
    </div>,
    document.body,
  )
}

/** The place above the point, or below it without room; within the window. px */
function placeNear(point: MenuPoint, size: { width: number; height: number }) {
  const left = Math.min(
    Math.max(point.x - size.width / 2, marginPx),
    innerWidth - size.width - marginPx,
  )
  const above = point.y - size.height - marginPx
  const lowest = innerHeight - size.height - marginPx
  return {
    left,
    top: above >= marginPx ? above : Math.max(marginPx, Math.min(point.y + marginPx, lowest)),
  }
}
