import { Content, Description, Portal, Root, Title } from 'radix-ui/dialog'
import { type ReactNode, useState } from 'react'
import { findFocusPath, nameHeirs, returnFocus } from '../layers/find-focus-path.ts'
import { useBackLayer } from '../layers/use-back-layer.ts'
import { joinClassNames } from '../styles/join-class-names.ts'
import styles from './dialog.module.css'

interface DialogProps {
  title: string
  /** A sentence under the title. */
  text?: string
  children?: ReactNode
  /** For a picture, which takes what the screen has. */
  isWide?: boolean
  onClose(): void
}

/**
 * A modal dialog: traps the focus and restores it on close. Escape and a click outside close it.
 */
export function Dialog({ title, text, children, isWide, onClose }: DialogProps) {
  const [returnTo] = useState(findFocusPath)
  useBackLayer(true, onClose)
  return (
    <Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Portal>
        {/* Not Radix's Overlay: it locks scrolling with a <style> element, which the content policy forbids. */}
        <div className={styles.scrim} />
        <Content
          className={joinClassNames(styles.dialog, isWide && styles.isWide)}
          {...(text ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={({ currentTarget }) => {
            // A dialog that takes this one's place returns the focus to what opened this one.
            if (currentTarget instanceof HTMLElement) nameHeirs(currentTarget, returnTo)
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            returnFocus(returnTo)
          }}
        >
          <Title className={styles.title}>{title}</Title>
          {text && <Description className={styles.text}>{text}</Description>}
          {children}
        </Content>
      </Portal>
    </Root>
  )
}
