import { Content, Item, Portal, Root, Separator, Trigger } from 'radix-ui/dropdown-menu'
import { Fragment, useState } from 'react'
import { Icon } from '../icons/icon.tsx'
import { findFocusPath, focusFirst } from '../layers/find-focus-path.ts'
import { useBackLayer } from '../layers/use-back-layer.ts'
import { joinClassNames } from '../styles/join-class-names.ts'
import styles from './action-menu.module.css'
import { ignoreRestingMouse } from './ignore-resting-mouse.ts'
import type { MenuAction, MenuChoice, MenuPoint } from './menu-action.ts'
import { MenuChoiceRow } from './menu-choice-row.tsx'

export interface ActionMenuProps {
  /** The menu's name for screen readers. */
  label: string
  point: MenuPoint
  actions: readonly MenuAction[]
  choice?: MenuChoice | undefined
  /** Called on close, with or without a choice. */
  onClose(): void
}

/** A menu at a point; takes the focus and returns it on close. */
export function ActionMenu({ label, point, actions, choice, onClose }: ActionMenuProps) {
  const [returnTo] = useState(findFocusPath)
  const [mouse] = useState(ignoreRestingMouse)
  useBackLayer(true, onClose)
  return (
    // Not modal: a modal menu locks scrolling with a <style> element, which the content policy forbids.
    <Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Trigger asChild>
        <span
          className={styles.anchor}
          style={{ left: point.x, top: point.y }}
          aria-hidden="true"
        />
      </Trigger>
      <Portal>
        <Content
          className={styles.menu}
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          // Stays visible even if the window becomes too small for the point.
          sticky="always"
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (document.activeElement === document.body) focusFirst(returnTo)
          }}
        >
          {choice && (
            <MenuChoiceRow
              choice={choice}
              mouse={mouse}
              beforeSelect={() => focusFirst(returnTo)}
            />
          )}
          {actions.map((action) => (
            <Fragment key={action.label}>
              {action.startsSection && <Separator className={styles.line} />}
              <Item
                {...mouse}
                className={joinClassNames(styles.item, action.isDanger && styles.danger)}
                onSelect={() => {
                  // Before the chosen action opens something: that will return the focus to the
                  // element focused now.
                  focusFirst(returnTo)
                  action.onSelect()
                }}
              >
                <Icon name={action.icon} size={20} />
                {action.label}
              </Item>
            </Fragment>
          ))}
        </Content>
      </Portal>
    </Root>
  )
}
