import {
  type CSSProperties,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { isComposing } from '../../ui/fields/is-composing.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { createLongPress } from '../../ui/menus/long-press.ts'
import type { EmojiData } from '../catalogue/emoji-data.ts'
import { changeEmojiSettings, emojiSettings } from '../catalogue/emoji-settings.ts'
import type { EmojiSection, OfferedEmoji } from '../catalogue/list-sections.ts'
import { recordRecentEmoji } from '../catalogue/recent-emoji.ts'
import { useSheet } from '../catalogue/use-sheet.ts'
import { CategoryTabs } from './category-tabs.tsx'
import { EmojiGrid, type EmojiGridHandle } from './emoji-grid.tsx'
import styles from './emoji-picker.module.css'
import { layOutRows, stepThroughRows } from './lay-out-rows.ts'
import { PickerFoot } from './picker-foot.tsx'
import { useSections } from './use-sections.ts'
import { VariantPicker } from './variant-picker.tsx'

/** px: the smallest touch target. */
const smallestCell = 44

const fewestColumns = 4

export interface EmojiPickerProps {
  data: EmojiData
  /** px; by default it fills its container. */
  width?: number
  height?: number
  /** `auto` follows the app's theme. */
  theme?: 'auto' | 'dark' | 'light'
  /** Does the search take the focus on mount? */
  takesFocus: boolean
  /** Called with the emoji's characters. */
  onPick(native: string): void
  onClose(): void
}

interface OpenVariants {
  offered: OfferedEmoji
  place: { left: number; top: number }
}

const gridId = 'emoji-grid'
const [variantsWidth, variantsHeight] = [6 * 44 + 10, 44 + 10]

/** Search, categories, all emoji, and a preview with the skin tones. */
export function EmojiPicker(props: EmojiPickerProps) {
  const { data, width, height, theme = 'auto', takesFocus, onPick, onClose } = props
  const settings = useLiveValue(emojiSettings)
  const sheet = useSheet(settings.style)
  const [typed, setTyped] = useState('')
  const { sections, isSearch } = useSections(data, settings, typed)
  const grid = useRef<EmojiGridHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const root = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number>()
  const [pointed, setPointed] = useState<number>()
  const [variants, setVariants] = useState<OpenVariants>()
  const [inSight, setInSight] = useState<EmojiSection['id']>()
  const offered = useMemo(() => sections.flatMap((section) => section.offered), [sections])
  const { rows, columns, measure } = useGridRows(sections)
  const [press] = useState(createLongPress)
  useEffect(() => press.end, [press])
  useEffect(() => {
    if (takesFocus) field.current?.focus({ preventScroll: true })
  }, [takesFocus])

  const search = (words: string) => {
    setTyped(words)
    setActive(undefined)
    setPointed(undefined)
    setVariants(undefined)
    grid.current?.scrollTo(0)
  }
  // Enter picks the first result.
  const marked = active ?? (isSearch && offered.length > 0 ? 0 : undefined)
  const closeVariants = () => {
    if (variants && takesFocus) field.current?.focus({ preventScroll: true })
    setVariants(undefined)
  }
  const pick = ({ emoji, skin }: OfferedEmoji) => {
    const chosen = emoji.skins[skin] ?? emoji.skins[0]
    const plain = emoji.skins[0]
    if (!chosen || !plain) return
    recordRecentEmoji({ id: chosen.unified, original: plain.unified })
    closeVariants()
    onPick(chosen.native)
  }
  const openVariants = (place: number | undefined) => {
    const wanted = place === undefined ? undefined : offered[place]
    const cell = document.getElementById(`emoji-${place}`)
    if (!wanted || wanted.emoji.skins.length < 2 || !cell || !root.current) return
    setVariants({ offered: wanted, place: placeVariants(root.current, cell) })
  }
  const goTo = (id: EmojiSection['id']) => {
    const title = rows.find((row) => row.sectionId === id)
    setActive(undefined)
    grid.current?.scrollTo(title?.top ?? 0)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || variants) return
    const { key } = event
    if (key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      if (typed === '') onClose()
      else search('')
      return
    }
    if ((event.altKey && key === 'ArrowDown') || (event.shiftKey && key === 'Enter')) {
      event.preventDefault()
      openVariants(marked)
      return
    }
    const isInField = event.target === field.current
    if (!isInField && !(event.target as Element).closest('[role="listbox"]')) return
    const isArrow = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(key)
    // While the person types and has not moved down yet, the arrow keys move in the text.
    const isForField = isInField && active === undefined && key !== 'ArrowDown'
    if (isArrow && !isForField) {
      event.preventDefault()
      const next = stepThroughRows(rows, active ?? (isSearch ? 0 : undefined), key)
      const isBack = key === 'ArrowUp' && next === active
      setActive(isBack ? undefined : next)
      setPointed(undefined)
      if (isBack) field.current?.focus()
    }
    const wanted = marked === undefined ? undefined : offered[marked]
    if (key === 'Enter' && wanted) {
      event.preventDefault()
      pick(wanted)
    }
  }

  const isNothing = isSearch && offered.length === 0
  const previewed = offered[pointed ?? marked ?? -1]
  return (
    <div
      ref={root}
      className={styles.picker}
      role="dialog"
      aria-label="Emoji"
      data-theme={theme}
      style={
        {
          '--emoji-columns': columns,
          ...(width && { width }),
          ...(height && { height }),
        } as CSSProperties
      }
      onKeyDown={onKeyDown}
    >
      <search className={styles.search}>
        <input
          ref={field}
          type="search"
          role="combobox"
          aria-expanded={!isNothing}
          aria-controls={isNothing ? undefined : gridId}
          aria-activedescendant={marked === undefined ? undefined : `emoji-${marked}`}
          aria-autocomplete="list"
          placeholder="Search"
          aria-label="Search emoji"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="done"
          value={typed}
          onChange={(event) => search(event.target.value)}
        />
      </search>
      {!isSearch && <CategoryTabs sections={sections} now={inSight} onChoose={goTo} />}
      {isNothing ? (
        <p className={styles.nothing} role="status">
          No results found
        </p>
      ) : (
        <EmojiGrid
          ref={grid}
          id={gridId}
          rows={rows}
          marked={marked}
          sheet={sheet}
          onMeasure={measure}
          onInSight={setInSight}
          onPoint={setPointed}
          onPick={(place) => {
            const wanted = offered[place]
            if (wanted) pick(wanted)
          }}
          press={press}
          onVariants={openVariants}
        />
      )}
      {variants && (
        <VariantPicker {...variants} sheet={sheet} onPick={pick} onClose={closeVariants} />
      )}
      <PickerFoot
        previewed={previewed}
        sheet={sheet}
        hand={data.get('hand')}
        skinTone={settings.skinTone}
        onSkinTone={(skinTone) => changeEmojiSettings({ skinTone })}
      />
    </div>
  )
}

/** The place above the emoji, or below it without room; within the picker. px from its corner. */
function placeVariants(root: Element, cell: Element) {
  const [whole, own] = [root.getBoundingClientRect(), cell.getBoundingClientRect()]
  const above = own.top - whole.top - variantsHeight
  const centred = own.left + own.width / 2 - whole.left - variantsWidth / 2
  return {
    left: Math.max(4, Math.min(centred, whole.width - variantsWidth - 4)),
    top: above < 4 ? own.bottom - whole.top : above,
  }
}

/** The rows of emoji for the current width. */
function useGridRows(sections: readonly EmojiSection[]) {
  const [width, setWidth] = useState(0)
  const measure = useCallback((px: number) => setWidth(Math.floor(px)), [])
  const columns = Math.max(Math.floor(width / smallestCell), fewestColumns)
  const cell = Math.floor(width / columns)
  const rows = useMemo(
    () => (width === 0 ? [] : layOutRows(sections, { columns, cell })),
    [sections, width, columns, cell],
  )
  return { rows, columns, measure }
}
