import { type RefObject, useLayoutEffect } from 'react'

/** Grows the field with its text in browsers without `field-sizing`. */
export function useFieldHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = text === '' ? '' : 'auto'
    if (text !== '') element.style.height = `${element.scrollHeight}px`
  }, [field, text])
}
