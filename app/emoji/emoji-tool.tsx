import { type RefObject, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { insertText } from '../ui/fields/insert-text.ts'
import { useMediaQuery } from '../ui/hooks/use-media-query.ts'
import { useBackLayer } from '../ui/layers/use-back-layer.ts'
import styles from './emoji-tool.module.css'
import { loadPicker } from './picker/load-picker.ts'
import { usePicker } from './picker/use-picker.ts'
import { ShortcodeCompletion } from './shortcode-completion.tsx'
import { useOutsidePress } from './use-outside-press.ts'

interface EmojiToolProps {
  field: RefObject<HTMLTextAreaElement | null>
  /** Where the picker opens: under the field, over the messages or in the keyboard's place. */
  place: HTMLElement | null
}

const [pickerWidth, pickerHeight] = [350, 400]

/** The composer's button for the picker, and the completion of short names such as `:smile`. */
export function EmojiTool({ field, place }: EmojiToolProps) {
  const [isOpen, setIsOpen] = useState(false)
  const loaded = usePicker(isOpen, () => setIsOpen(false))
  const isPhone = useMediaQuery('(max-width: 767px)')
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)')
  const panel = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isDrawn = isOpen && loaded !== undefined && place !== null
  const close = () => setIsOpen(false)
  useBackLayer(isDrawn, close)
  useOutsidePress(isDrawn && !isPhone, [panel, button], close)
  useEffect(() => {
    const element = field.current
    if (!isDrawn || !isPhone || !element) return
    // The keyboard replaces the picker.
    const onFocus = () => setIsOpen(false)
    element.addEventListener('focus', onFocus)
    return () => element.removeEventListener('focus', onFocus)
  }, [isDrawn, isPhone, field])

  const open = () => {
    setIsOpen(true)
    if (isPhone) field.current?.blur()
  }
  const leave = () => {
    close()
    field.current?.focus({ preventScroll: true })
  }
  return (
    <>
      <IconButton
        ref={button}
        icon={isOpen && isPhone ? 'keyboard' : 'smile'}
        label={isOpen && isPhone ? 'Keyboard' : 'Emoji'}
        aria-expanded={isOpen}
        // The tooltip would cover the picker.
        {...(isOpen && { 'data-tooltip': undefined })}
        onPointerEnter={() => void loadPicker().catch(() => {})}
        // The focus stays until the picker takes it.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => (isOpen ? leave() : open())}
      />
      <ShortcodeCompletion field={field} place={place} />
      {isDrawn &&
        createPortal(
          <div ref={panel} className={styles.panel}>
            <loaded.Picker
              data={loaded.data}
              {...(isPhone ? {} : { width: pickerWidth, height: pickerHeight })}
              takesFocus={hasKeyboard}
              onPick={(native) => insertText(field.current, native)}
              onClose={leave}
            />
          </div>,
          place,
        )}
    </>
  )
}
